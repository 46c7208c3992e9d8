// `firm recon`: the run directory, exit codes, Ctrl-C, resuming, wrong input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/child_process.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "support/command_line.h"
#include "support/file_opens.h"
#include "support/scan_files.h"
#include "support/wait_until.h"

namespace firm {
namespace {

using Json = nlohmann::json;

constexpr double kPatience = 600;  // seconds; only a failing test waits that long

class Recon : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out s --size 24 --angles 8 --slices 2 --noise 0.01").code, 0);
  }

  // Writes s/t.toml: study.toml with a part replaced.
  void edit_study(const std::string& from, const std::string& to) {
    write_text_file(directory_ / "s/t.toml",
                    replaced(file_content(directory_ / "s/study.toml"), from, to));
  }

  // Sends SIGINT to a run of method firm once its history has a round; returns its exit code.
  std::optional<int> interrupted_run(const std::string& out, const std::string& hold) {
    ChildProcess child({FIRM_PROGRAM, "recon", directory_ / "s/study.toml", "--out",
                        directory_ / out, "--method", "firm", "--set", "stop.discrepancy=0",
                        "--set", "firm.hold=" + hold});
    const std::string history_file = directory_ / (out + "/history.jsonl");
    EXPECT_TRUE(wait_until(kPatience, [&] { return !file_content(history_file).empty(); }));
    child.send(SIGINT);
    return child.wait(kPatience);
  }

  bool exists(const std::string& path) { return std::filesystem::exists(directory_ / path); }
};

// Slices of the 3D phantom differ much, so the noise level of each slice is another.
TEST_F(Recon, ReachesNoiseLevelOfEverySlice) {
  ASSERT_EQ(
      run("simulate --out v --preset elements --size 32 --angles 16 --slices 8 --noise 0.01").code,
      0);
  const Outcome o = run("recon v/study.toml --out run");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(summary("run")["termination"]["reason"], "discrepancy");
}

TEST_F(Recon, WritesRunDirectory) {
  const Outcome o = run("recon s/study.toml --out r");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_CONTAINS(o.out, "firm-ds: converged after");
  EXPECT_CONTAINS(o.out, "error to truth");
  for (const std::string file :
       {"summary.json", "history.jsonl", "images.h5", "study.toml", "overview.png", "report.html",
        "recon/xrf-1_rec/recon_00000.tiff", "recon/xrt_rec/recon_00001.tiff",
        "recon/xrt_rec/recon_00001.png"}) {
    EXPECT_TRUE(exists("r/" + file)) << file;
  }
  EXPECT_FALSE(exists("r/checkpoint.h5"));
  EXPECT_EQ(read_images(directory_ / "r/images.h5", "xrf-2").columns(), 2u);
  EXPECT_EQ(read_images(directory_ / "r/images.h5", "multiplier").rows(), 24u * 24u);
}

TEST_F(Recon, WritesSummaryKeys) {
  ASSERT_EQ(run("recon s/study.toml --out r").code, 0);
  const Json j = summary("r");
  EXPECT_EQ(j.at("method"), "firm-ds");
  EXPECT_EQ(j.at("termination").at("reason"), "discrepancy");
  EXPECT_CONTAINS(j.at("termination").at("message").get<std::string>(), "0.01");
  EXPECT_GT(j.at("rounds").get<int>(), 0);
  EXPECT_EQ(j.at("local_iterations").get<int>(), 8 * (j.at("rounds").get<int>() + 1));
  EXPECT_GT(j.at("objective").get<double>(), 0);
  EXPECT_GT(j.at("step_norm").get<double>(), 0);
  EXPECT_LT(j.at("constraint_violation").get<double>(), 1e-5);
  for (const char* key : {"primal", "stationarity", "relative"}) {
    EXPECT_TRUE(j.at("kkt").at(key).is_number()) << key;
  }
  EXPECT_GT(j.at("seconds").get<double>(), 0);
  EXPECT_GT(j.at("lambda_max").get<double>(), 0);
  EXPECT_GT(j.at("threads").get<int>(), 0);
  EXPECT_TRUE(j.at("version").is_string());
  ASSERT_EQ(j.at("sites").size(), 4u);
  EXPECT_EQ(j.at("sites")[3].at("name"), "xrt");
  for (const Json& site : j.at("sites")) {
    EXPECT_GT(site.at("bytes_up").get<double>(), 0);
    EXPECT_GT(site.at("bytes_down").get<double>(), 0);
    EXPECT_GT(site.at("residual").get<double>(), 0);
  }
  EXPECT_GT(j.at("error_to_truth").at("total").get<double>(), 0);
  EXPECT_GT(j.at("error_to_truth").at("sites").at("xrf-3").get<double>(), 0);
}

TEST_F(Recon, WritesHistoryLinePerRound) {
  ASSERT_EQ(run("recon s/study.toml --out r --method firm --set stop.rounds=7").code, 5);
  const std::vector<Json> lines = history("r");
  ASSERT_EQ(lines.size(), 8u);  // round 0 is the start
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(lines[k].at("round"), k);
    EXPECT_TRUE(lines[k].at("objective").is_number());
    EXPECT_TRUE(lines[k].at("constraint_violation").is_number());
    EXPECT_TRUE(lines[k].at("kkt").is_number());
    EXPECT_TRUE(lines[k].at("residuals").at("xrf-1").is_number());
  }
  EXPECT_LT(lines[7].at("objective").get<double>(), lines[0].at("objective").get<double>());
}

TEST_F(Recon, RunsEveryMethod) {
  for (const std::string method : {"firm", "firm+", "fedpgd", "pgd", "plsqr", "firm-ds"}) {
    const Outcome o = run(fmt::format("recon s/study.toml --out {0} --method {0}", method));
    EXPECT_EQ(o.code, 0) << method << o.err;
    EXPECT_EQ(summary(method).at("method"), method);
  }
}

TEST_F(Recon, ResolvedStudyRepeatsRun) {
  ASSERT_EQ(run("recon s/study.toml --out r --set ds.local_steps=5").code, 0);
  ASSERT_EQ(run("recon r/study.toml --out again").code, 0);
  EXPECT_EQ(summary("r").at("objective"), summary("again").at("objective"));
  EXPECT_EQ(summary("again").at("options").at("ds.local_steps"), 5);
}

TEST_F(Recon, GivesSameBytesWithAnyThreads) {
  ASSERT_EQ(run("recon s/study.toml --out one --set threads=1").code, 0);
  ASSERT_EQ(run("recon s/study.toml --out two --set threads=2").code, 0);
  EXPECT_EQ(file_content(directory_ / "one/images.h5"), file_content(directory_ / "two/images.h5"));
}

TEST_F(Recon, ResumesAfterLimitToSameBytes) {
  for (const std::string method : {"firm", "firm+", "fedpgd", "pgd", "plsqr", "firm-ds"}) {
    const std::string start = "recon s/study.toml --method " + method +
                              " --set stop.discrepancy=0 --set ds.local_steps=2 ";
    const std::string whole = method + "-whole";
    const std::string parts = method + "-parts";
    ASSERT_EQ(run(fmt::format("{}--out {} --set stop.rounds=6", start, whole)).code, 5);
    ASSERT_EQ(run(fmt::format("{}--out {} --set stop.rounds=4", start, parts)).code, 5);
    ASSERT_EQ(run("recon s/study.toml --resume --out " + parts + " --set stop.rounds=6").code, 5);
    EXPECT_EQ(file_content(directory_ / (whole + "/images.h5")),
              file_content(directory_ / (parts + "/images.h5")))
        << method;
    EXPECT_EQ(history(whole).size(), history(parts).size());
    EXPECT_EQ(summary(whole).at("exchanges"), summary(parts).at("exchanges")) << method;
  }
}

TEST_F(Recon, ResumesAfterCtrlC) {
  const std::string options = " --method firm --set stop.discrepancy=0 --set firm.hold=30000";
  ASSERT_EQ(run("recon s/study.toml --out whole" + options).code, 0);
  EXPECT_EQ(interrupted_run("parts", "30000"), 5);
  EXPECT_EQ(summary("parts").at("termination").at("reason"), "interrupted");
  EXPECT_TRUE(exists("parts/checkpoint.h5"));
  ASSERT_EQ(run("recon s/study.toml --resume --out parts").code, 0);
  EXPECT_FALSE(exists("parts/checkpoint.h5"));
  EXPECT_EQ(file_content(directory_ / "whole/images.h5"),
            file_content(directory_ / "parts/images.h5"));
  EXPECT_EQ(history("whole").size(), history("parts").size());
}

TEST_F(Recon, RejectsResumeOfAnotherRun) {
  expect_error(run("recon s/study.toml --out r --resume"), 2,
               "expected the directory of an earlier");
  ASSERT_EQ(run("recon s/study.toml --out r --set stop.rounds=1").code, 5);
  expect_error(run("recon s/study.toml --out r --resume --set ds.local_steps=3"), 2,
               "expected ds.local_steps = 3, found ds.local_steps = 0");
  write_text_file(directory_ / "r/checkpoint.h5", "damaged");
  expect_error(run("recon s/study.toml --out r --resume"), 3, "checkpoint.h5");
}

TEST_F(Recon, RunsWhenStderrIsFull) {
  const std::string command = fmt::format(
      "cd '{}' && '{}' recon s/study.toml --out r --dashboard 127.0.0.1:0 >/dev/null 2>/dev/full",
      directory_ / "", FIRM_PROGRAM);
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "r/summary.json"));
}

TEST_F(Recon, KeepsEarlierRunWithoutOverwrite) {
  ASSERT_EQ(run("recon s/study.toml --out r").code, 0);
  expect_error(run("recon s/study.toml --out r"), 2, "--overwrite");
  // --overwrite also removes images that the new run does not write.
  const auto leftover = directory_ / "r/recon/xrt_rec/recon_00007.tiff";
  std::ofstream(leftover) << "old";
  EXPECT_EQ(run("recon s/study.toml --out r --overwrite").code, 0);
  EXPECT_FALSE(std::filesystem::exists(leftover));
  expect_error(run("recon s/study.toml --out r --overwrite --resume"), 2, "both");
}

TEST_F(Recon, RejectsWrongStudy) {
  struct Case {
    const char* from;
    const char* to;
    int code;
    const char* error;
  };
  for (const Case& c : {
           Case{"coefficient = 0.1", "coefficient = -0.1", 2, "s/t.toml:"},
           Case{"coefficient = 0.1", "coeficient = 0.1", 2, "coeficient"},
           Case{"pixel_size = \"1 um\"", "pixel_size = \"1 parsec\"", 2, "pixel_size"},
           Case{"slices = 2", "slices = 3", 3, "xrf-1.h5"},
           Case{"data = \"xrf-2.h5\"", "data = \"none.h5\"", 3, "none.h5"},
           Case{"method = \"firm-ds\"", "method = \"firm-dx\"", 2, "one of firm-ds, firm, firm+"},
           Case{"method = \"firm-ds\"", "method = \"firm-ds\"\nstop.kkt = -1", 2,
                "stop.kkt: expected a number from 0 on"},
       }) {
    edit_study(c.from, c.to);
    expect_error(run("recon s/t.toml --out r"), c.code, c.error);
  }
  EXPECT_FALSE(exists("r"));
}

TEST_F(Recon, RejectsWrongOptions) {
  expect_error(run("recon s/study.toml --out r --set stop.kk=1"), 2, "found 'stop.kk'");
  expect_error(run("recon s/study.toml --out r --set firm.ratio=1"), 2, "above 0 and below 1");
  expect_error(run("recon s/study.toml --out r --set stop.rounds"), 2, "key=value");
  expect_error(run("recon s/study.toml --out r --method frm"), 2,
               "firm recon: --method: expected one of firm-ds, firm, firm+, fedpgd, pgd, plsqr, "
               "found 'frm' (did you mean firm?)");
  expect_error(run("recon s/study.toml --out /proc/none"), 3, "/proc/none");
  expect_error(run("recon s/study.toml"), 2, "--out");
  EXPECT_FALSE(exists("r"));
}

TEST_F(Recon, RejectsStudyOutsideAssumptionsOfFirm) {
  edit_study("rotation_axis = 17.0", "rotation_axis = 17.25");
  expect_error(run("recon s/t.toml --out r --method firm"), 2, "one matrix A common to all sites");
  EXPECT_FALSE(exists("r"));
  EXPECT_EQ(run("recon s/t.toml --out r --method firm-ds --set stop.change=0.5").code, 0);
}

TEST_F(Recon, ComparesWithGivenTruth) {
  expect_error(run("recon s/study.toml --out r --truth none.h5"), 3, "none.h5");
  ASSERT_EQ(run("simulate --out other --size 16 --angles 8 --slices 2").code, 0);
  expect_error(run("recon s/study.toml --out r --truth other/truth.h5"), 3, "other/truth.h5");
  EXPECT_EQ(run("recon s/study.toml --out r --truth s/truth.h5").code, 0);
}

TEST_F(Recon, ReportsFullDisk) {
  for (const std::string blocks : {"1", "4", "20"}) {
    const Outcome o =
        run("recon s/study.toml --out r" + blocks, "trap '' XFSZ; ulimit -f " + blocks + ";");
    EXPECT_EQ(o.code, 3) << blocks;
    EXPECT_FALSE(exists("r" + blocks + "/summary.json"));
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(directory_ / ("r" + blocks))) {
      EXPECT_NE(entry.path().extension(), ".part") << entry.path();
    }
  }
}

// An HDF5 file is looked at for its format, tried in a child process that may crash, and opened
// once: for geometry, estimates, all chunks and the report.
TEST_F(Recon, OpensDataFilesOnce) {
  const std::vector<std::string> files = {directory_ / "s/xrf-1.h5", directory_ / "s/xrt.h5"};
  for (const std::string options : {"", "--separate"}) {
    FileOpens opens(files);
    run("recon s/study.toml --out r --overwrite --set stop.rounds=2 " + options);
    ASSERT_TRUE(exists("r/report.html")) << options;
    for (const std::string& file : files) EXPECT_EQ(opens.opened(file), 3) << file << options;
  }
}

TEST_F(Recon, ComparesWithArrays) {
  std::filesystem::create_directory(directory_ / "s/arrays");
  for (const std::string& site : image_names(directory_ / "s/truth.h5")) {
    const ImageSlices truth(directory_ / "s/truth.h5", site);
    std::vector<float> values;
    for (std::size_t z = 0; z < truth.slices(); ++z) {
      for (const float value : truth.read(z)) values.push_back(value);
    }
    write_npy(directory_ / ("s/arrays/" + site + ".npy"), {2, 24, 24}, values);
  }
  const std::string options = " --set stop.rounds=2";
  ASSERT_EQ(run("recon s/study.toml --out a" + options).code, 5);
  ASSERT_EQ(run("recon s/study.toml --out b --truth s/arrays" + options).code, 5);
  edit_study("truth = \"truth.h5\"", "truth = \"arrays\"");
  ASSERT_EQ(run("recon s/t.toml --out c" + options).code, 5);
  const Json error = summary("a").at("error_to_truth");
  EXPECT_EQ(summary("b").at("error_to_truth"), error);
  EXPECT_EQ(summary("c").at("error_to_truth"), error);
  EXPECT_CONTAINS(file_content(directory_ / "c/study.toml"), "truth = \"../s/arrays\"");
  write_npy(directory_ / "s/arrays/xrt.npy", {24, 24}, std::vector<float>(24 * 24));
  expect_error(run("recon s/t.toml --out d"), 3,
               "xrt.npy: expected the shape (2, 24, 24) (slice, row, column), found (1, 24, 24)");
}

}  // namespace
}  // namespace firm
