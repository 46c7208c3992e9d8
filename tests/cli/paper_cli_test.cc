// Tests of `firm paper --quick`: its findings, resuming a stopped run, and bad input.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/files/pending_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

using Json = nlohmann::json;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  std::string part;
  while (std::getline(in, part, separator)) parts.push_back(part);
  return parts;
}

class Paper : public CommandLine {
 protected:
  // Verdicts of an item, by claim.
  std::map<std::string, std::string> verdicts(const std::string& out, const std::string& item) {
    const Json page = Json::parse(file_content(directory_ / (out + "/paper.json")));
    std::map<std::string, std::string> found;
    for (const Json& section : page.at("sections")) {
      if (section.at("name") != item) continue;
      for (const Json& f : section.at("findings")) found[f.at("claim")] = f.at("verdict");
    }
    return found;
  }

  // Rows of a CSV file; each maps the names in the head to cells.
  std::vector<std::map<std::string, std::string>> csv(const std::string& path) {
    std::vector<std::map<std::string, std::string>> rows;
    const std::vector<std::string> lines = split(file_content(directory_ / path), '\n');
    const std::vector<std::string> head = split(lines.at(0), ',');
    for (std::size_t k = 1; k < lines.size(); ++k) {
      const std::vector<std::string> cells = split(lines[k], ',');
      EXPECT_EQ(cells.size(), head.size()) << lines[k];
      for (std::size_t c = 0; c < head.size(); ++c) {
        if (c == 0) rows.emplace_back();
        rows.back()[head[c]] = cells.at(c);
      }
    }
    return rows;
  }

  void check_table1();
  void check_ratio();
  void check_fedpgd();
  void check_multimodal();
  void check_priors();
  void check_absorption();
  void check_page();

  std::size_t results(const std::string& out) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / (out + "/results"))) {
      if (entry.path().extension() == ".json") ++count;
    }
    return count;
  }
};

std::string with_prefix(const std::map<std::string, std::string>& verdicts,
                        const std::string& prefix) {
  for (const auto& [claim, verdict] : verdicts) {
    if (claim.rfind(prefix, 0) == 0) return verdict;
  }
  ADD_FAILURE() << "no claim starts with " << prefix;
  return "";
}

// tau is linear in s, and within 30 % of the paper for s > 0.
void Paper::check_table1() {
  const auto rows = csv("p/data/table1.csv");
  ASSERT_EQ(rows.size(), 4u);
  const double slope = std::stod(rows[1].at("tau")) / std::stod(rows[1].at("s"));
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const double tau = std::stod(rows[k].at("tau"));
    EXPECT_NEAR(tau / std::stod(rows[k].at("paper_tau")), 1, 0.3);
    EXPECT_NEAR(tau / std::stod(rows[k].at("s")), slope, 0.1 * slope);
  }
  EXPECT_LT(std::stod(rows[0].at("tau")), 0.1 * std::stod(rows[1].at("tau")));
  const auto v = verdicts("p", "table1");
  EXPECT_EQ(with_prefix(v, "\u03c4 is 1.18e-2"), "holds");
  EXPECT_EQ(with_prefix(v, "\u03c4 grows"), "holds");
}

// Without noise a smaller r ends at a larger f; with noise the distance grows again.
void Paper::check_ratio() {
  std::map<std::string, double> last;  // f of each r at s = 0
  double least = 1e300;
  double end = 0;
  for (const auto& row : csv("p/data/ratio.csv")) {
    if (row.at("s") == "0") last[row.at("r")] = std::stod(row.at("objective"));
    if (row.at("s") == "0.1" && row.at("r") == "0.99") {
      end = std::stod(row.at("error"));
      least = std::min(least, end);
    }
  }
  EXPECT_GT(last.at("0.9"), 2 * last.at("0.99"));
  EXPECT_GT(end, 1.05 * least);
  const auto v = verdicts("p", "ratio");
  EXPECT_EQ(with_prefix(v, "Without noise, a smaller r"), "holds");
  EXPECT_EQ(with_prefix(v, "Whatever r"), "holds");
  EXPECT_NE(with_prefix(v, "At s = 0.1"), "differs");
}

void Paper::check_fedpgd() {
  const auto v = verdicts("p", "fedpgd");
  EXPECT_EQ(with_prefix(v, "FIRM holds r = 1"), "holds");
  EXPECT_EQ(with_prefix(v, "Both have the same objective per round while r = 1 (s = 0)"), "holds");
  EXPECT_EQ(with_prefix(v, "The constraint violation"), "holds");
  // These claims do not hold with the exact projection.
  EXPECT_EQ(with_prefix(v, "FedPGD stops"), "differs");
  EXPECT_EQ(with_prefix(v, "At s = 0.01 FedPGD does not stop"), "differs");
  EXPECT_EQ(with_prefix(v, "A round of FedPGD"), "differs");
}

void Paper::check_multimodal() {
  std::size_t noisy = 0;
  for (const auto& row : csv("p/data/multimodal.csv")) {
    if (row.at("s") == "0") continue;
    ++noisy;
    EXPECT_LT(std::stod(row.at("joint_mean")), std::stod(row.at("iir_mean")));
    EXPECT_GT(std::stod(row.at("gap_percent_p20")), 0);
  }
  EXPECT_EQ(noisy, 2u * 3 * (2 + 1));
  const auto v = verdicts("p", "multimodal");
  EXPECT_EQ(with_prefix(v, "With noise, the joint solution"), "holds");
  EXPECT_NE(with_prefix(v, "FIRM depends less"), "differs");
  EXPECT_NE(with_prefix(v, "The relative gap shrinks"), "differs");
  EXPECT_EQ(with_prefix(v, "Images improve"), "holds");
  EXPECT_EQ(with_prefix(v, "The variance"), "holds");
  EXPECT_EQ(with_prefix(verdicts("p", "plsqr"), "PGD is nearer"), "holds");
}

// The prior helps objects with edges at every noise level.
void Paper::check_priors() {
  const auto rows = csv("p/data/priors.csv");
  ASSERT_EQ(rows.size(), 3u * 3);
  for (const auto& row : rows) {
    EXPECT_LT(std::stod(row.at("joint")), std::stod(row.at("alone"))) << row.at("preset");
    EXPECT_GT(std::stod(row.at("strength")), 0);
    EXPECT_LE(std::stod(row.at("rounds")), 4);
    if (row.at("preset") == "smooth") continue;
    EXPECT_LT(std::stod(row.at("joint_tv")), 0.75 * std::stod(row.at("joint")))
        << row.at("preset") << " " << row.at("s");
  }
}

// Only the joint correction, which starts from XRT, finds the masses of both strengths.
void Paper::check_absorption() {
  const auto rows = csv("p/data/absorption.csv");
  ASSERT_EQ(rows.size(), 7u * 3);
  for (const auto& row : rows) {
    const double mass = std::stod(row.at("mass"));
    const std::string run = row.at("absorption") + " " + row.at("correction");
    if (row.at("absorption") == "none" || row.at("correction") == "joint") {
      EXPECT_NEAR(mass, 1, 0.05) << run;
    } else if (row.at("correction") == "ignored") {
      EXPECT_LT(mass, 0.8) << run;
    } else if (row.at("absorption") == "strong") {
      EXPECT_LT(mass, 0.85) << run;
    }
  }
}

// The page shows every item, and every file that it shows exists.
void Paper::check_page() {
  const std::string html = file_content(directory_ / "p/paper.html");
  for (const char* item : {"data", "table1", "ratio", "fedpgd", "multimodal", "plsqr", "beyond",
                           "priors", "absorption"}) {
    EXPECT_CONTAINS(html, std::string("<section id=\"") + item + "\">");
  }
  std::size_t files = 0;
  for (const char* mark : {"src=\"", "href=\"data/"}) {
    for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1)) {
      const std::size_t begin = html.find('"', at) + 1;
      const std::string name = html.substr(begin, html.find('"', begin) - begin);
      EXPECT_GT(std::filesystem::file_size(directory_ / ("p/" + name)), 100u) << name;
      ++files;
    }
  }
  EXPECT_EQ(files, 12u + 9u);
  const auto v = verdicts("p", "data");
  for (const auto& [claim, verdict] : v) EXPECT_EQ(verdict, "holds") << claim;
}

TEST_F(Paper, QuickPlanGivesExpectedVerdicts) {
  const Outcome outcome = run("paper --out p --quick");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_CONTAINS(outcome.out, "p/paper.html");
  check_table1();
  check_ratio();
  check_fedpgd();
  check_multimodal();
  check_priors();
  check_absorption();
  check_page();

  // A second call repeats no run and writes the same page.
  const std::string page = file_content(directory_ / "p/paper.html");
  const auto written = std::filesystem::last_write_time(directory_ / "p/results");
  EXPECT_EQ(run("paper --out p --quick").code, 0);
  EXPECT_EQ(file_content(directory_ / "p/paper.html"), page);
  EXPECT_EQ(std::filesystem::last_write_time(directory_ / "p/results"), written);
}

TEST_F(Paper, ResumesAfterInterrupt) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string out = directory_ / "p";
    execl(FIRM_PROGRAM, "firm", "paper", "--quick", "--only", "ratio", "--threads", "1", "--out",
          out.c_str(), nullptr);
    _exit(127);
  }
  std::error_code none_yet;
  while (!std::filesystem::exists(directory_ / "p/results", none_yet) || results("p") == 0) {
    usleep(1000);
  }
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 5);
  const std::size_t done = results("p");
  EXPECT_LT(done, 6u);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "p/paper.html"));

  ASSERT_EQ(run("paper --out p --quick --only ratio").code, 0);
  EXPECT_EQ(results("p"), 6u);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "p/paper.html"));
}

TEST_F(Paper, NamesWrongArgumentInErrors) {
  expect_error(run("paper --out p --only table1,tables"), 2, "found tables");
  expect_error(run("paper --out p --samples -1"), 2, "--samples");
  write_text_file(directory_ / "file", "");
  expect_error(run("paper --out file --only data"), 3, "file");
  expect_error(run("paper --quick"), 2, "--out");
}

TEST_F(Paper, RejectsDamagedResult) {
  ASSERT_EQ(run("paper --out p --quick --only data").code, 0);
  write_text_file(directory_ / "p/results/250_25-angles_s0_sample1_firm+_firm.hold=1000.json",
                  "{\"id\": ");
  expect_error(run("paper --out p --quick --only table1"), 3, "firm+_firm.hold=1000.json");
}

}  // namespace
}  // namespace firm
