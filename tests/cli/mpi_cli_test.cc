// firm recon --separate and --mpi, by the program itself.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/files/image_file.h"
#include "io/study/study_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

class SeparateSites : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out s --size 24 --angles 8 --slices 2 --noise 0.01").code, 0);
  }

  // Under mpirun, which minds neither root nor few cores here; OpenMPI itself leaks.
  Outcome run_processes(int count, const std::string& arguments) {
    return run(arguments,
               "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 "
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
               "mpirun --oversubscribe -n " +
                   std::to_string(count));
  }

  std::string images(const std::string& run) {
    return file_content(directory_ / run + "/images.h5");
  }
  std::string images_of_all_sites(const std::string& run) {
    std::string all;
    for (const std::string site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
      for (const std::string slice : {"0", "1"}) {
        all +=
            file_content(directory_ / run + "/recon/" + site + "_rec/recon_0000" + slice + ".tiff");
      }
    }
    return all;
  }
  std::vector<nlohmann::json> history(const std::string& run) {
    std::vector<nlohmann::json> lines;
    std::ifstream in(directory_ / run + "/history.jsonl");
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  static void expect_near(const nlohmann::json& found, const nlohmann::json& expected) {
    EXPECT_NEAR(found.get<double>(), expected.get<double>(), 1e-4 * expected.get<double>());
  }
  nlohmann::json summary(const std::string& run) {
    return nlohmann::json::parse(file_content(directory_ / run + "/summary.json"));
  }
};

TEST_F(SeparateSites, GiveSameBytesForAnyNumberOfProcesses) {
  for (const std::string method :
       {"firm-ds", "firm --set stop.rounds=30", "fedpgd --set stop.rounds=9"}) {
    const std::string out = method.substr(0, method.find(' '));
    const Outcome one = run("recon s/study.toml --separate --out " + out + " --method " + method);
    ASSERT_LT(one.code, 6) << one.err;
    ASSERT_NE(one.code, 2) << one.err;
    for (const int processes : {1, 2, 4}) {
      const std::string many = out + "-" + std::to_string(processes);
      const Outcome o = run_processes(
          processes, "recon s/study.toml --mpi --out " + many + " --method " + method);
      ASSERT_EQ(o.code, one.code) << o.err;
      EXPECT_EQ(images(many), images(out)) << method << processes;
    }
  }
}

TEST_F(SeparateSites, UseNoiseOfAllSites) {
  std::string text = file_content(directory_ / "s/study.toml");
  const std::string table = "[[site]]\n";
  for (std::size_t at = 0; (at = text.find(table, at)) != std::string::npos;) {
    at += table.size();
    text.insert(at, "sigma = \"estimate\"\n");
  }
  std::ofstream(directory_ / "s/t.toml") << text;
  ASSERT_EQ(run("recon s/t.toml --out together").code, 0);
  ASSERT_EQ(run("recon s/t.toml --separate --out separate").code, 0);
  const Outcome o = run_processes(4, "recon s/t.toml --mpi --out four");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(images("four"), images("separate"));
  const double objective = summary("together").at("objective");
  EXPECT_NEAR(summary("four").at("objective").get<double>(), objective, 1e-4 * objective);
  ASSERT_EQ(run("recon s/study.toml --out without").code, 0);
  EXPECT_NE(summary("without").at("objective").get<double>(), objective);
}

TEST_F(SeparateSites, AgreeWithAllSitesInOneProcess) {
  ASSERT_EQ(run("recon s/study.toml --out together").code, 0);
  ASSERT_EQ(run("recon s/study.toml --separate --out separate").code, 0);
  const auto a = summary("together");
  const auto b = summary("separate");
  EXPECT_EQ(a.at("rounds"), b.at("rounds"));
  EXPECT_NEAR(a.at("objective").get<double>(), b.at("objective").get<double>(),
              1e-5 * a.at("objective").get<double>());
  EXPECT_EQ(a.at("sites").size(), b.at("sites").size());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a.at("sites")[i].at("name"), b.at("sites")[i].at("name"));
    EXPECT_NEAR(a.at("sites")[i].at("error_to_truth").get<double>(),
                b.at("sites")[i].at("error_to_truth").get<double>(), 1e-3);
  }
  EXPECT_NEAR(a.at("error_to_truth").at("total").get<double>(),
              b.at("error_to_truth").at("total").get<double>(), 1e-3);
}

// Slices are columns of their own, and every process takes the decisions of one that has all of
// them.
class SlicesOverProcesses : public SeparateSites {
 protected:
  void SetUp() override {}

  void simulate(int slices) {
    ASSERT_EQ(
        run("simulate --out s --size 24 --angles 8 --noise 0.01 --slices " + std::to_string(slices))
            .code,
        0);
  }

  void run_both_ways(int processes, const std::string& options) {
    const std::string with = " --overwrite " + options;
    const Outcome one = run("recon s/study.toml --separate --out one" + with);
    ASSERT_EQ(one.code, 0) << options << one.err;
    const Outcome many = run_processes(processes, "recon s/study.toml --mpi --out many" + with);
    ASSERT_EQ(many.code, 0) << options << many.err;
    const auto a = summary("one");
    const auto b = summary("many");
    EXPECT_GT(a.at("rounds"), 1) << options;
    EXPECT_EQ(a.at("rounds"), b.at("rounds")) << options;
    EXPECT_EQ(a.at("termination").at("reason"), b.at("termination").at("reason")) << options;
    const double objective = a.at("objective");
    EXPECT_NEAR(b.at("objective").get<double>(), objective, 1e-4 * objective) << options;
    for (const std::string key : {"primal", "stationarity", "relative", "multiplier"}) {
      const double value = a.at("kkt").at(key);
      EXPECT_NEAR(b.at("kkt").at(key).get<double>(), value, 1e-2 * value) << options << key;
    }
  }

  void expect_same_images() {
    for (const std::string site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
      const Block one = read_images(directory_ / "one/images.h5", site);
      const Block many = read_images(directory_ / "many/images.h5", site);
      EXPECT_TRUE(std::ranges::equal(one.values(), many.values())) << site;
    }
  }

  void expect_near_images() {
    for (const std::string site : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
      const Block one = read_images(directory_ / "one/images.h5", site);
      const Block many = read_images(directory_ / "many/images.h5", site);
      ASSERT_EQ(one.size(), many.size());
      float largest = 0;
      float difference = 0;
      for (std::size_t k = 0; k < one.size(); ++k) {
        largest = std::max(largest, one.values()[k]);
        difference = std::max(difference, std::abs(one.values()[k] - many.values()[k]));
      }
      EXPECT_GT(largest, 0);
      EXPECT_LT(difference, 1e-3f * largest) << site;
    }
  }
};

class MethodOverProcesses : public SlicesOverProcesses,
                            public ::testing::WithParamInterface<const char*> {};

// Two slices, each with a group of processes.
TEST_P(MethodOverProcesses, GivesSameBytes) {
  simulate(2);
  run_both_ways(8, std::string("--set stop.discrepancy=0.02 --method ") + GetParam());
  expect_same_images();
}

INSTANTIATE_TEST_SUITE_P(All, MethodOverProcesses,
                         ::testing::Values("firm-ds", "firm", "firm+", "plsqr",
                                           "fedpgd --set fedpgd.accelerated=true",
                                           "pgd --set pgd.accelerated=true",
                                           "firm-ds --prior tv --set stop.change=1e-5"),
                         [](const auto& method) { return std::to_string(method.index); });

// The bytes of a slice depend neither on the slices beside it nor on their number, as long as there
// are three or more: here seven in one process, and three and four in groups of processes.
TEST_F(SlicesOverProcesses, GiveSameBytesInGroupsOfThreeOrMore) {
  simulate(7);
  run_both_ways(8, "--set stop.discrepancy=0.03 --set ds.local_steps=1");
  expect_same_images();
}

// A group has one slice, the other two: one or two slices have kernels of their own, which round in
// another order than those for three.
TEST_F(SlicesOverProcesses, AllowUnevenGroups) {
  simulate(3);
  run_both_ways(8, "");
  expect_near_images();
  run_both_ways(8, "--method fedpgd --set fedpgd.accelerated=true --set stop.discrepancy=0.02");
  expect_near_images();
}

TEST_F(SlicesOverProcesses, StopByObjectiveOfAllSlices) {
  simulate(3);
  ASSERT_EQ(run("recon s/study.toml --out together").code, 0);
  const double objective = summary("together").at("objective");
  const std::string rule = "--set stop.discrepancy=0 --set ds.local_steps=8 --set stop.objective=" +
                           nlohmann::json(1.1 * objective).dump();
  run_both_ways(12, rule);
  expect_near_images();
  EXPECT_EQ(summary("many").at("termination").at("reason"), "objective");
}

// All sites are in these runs, wherever they are.
TEST_F(SeparateSites, RecordResidualsOfAllSites) {
  const std::string firm = " --method firm --set stop.rounds=3 --set stop.discrepancy=0";
  ASSERT_EQ(run("recon s/study.toml --out together" + firm).code, 5);
  ASSERT_EQ(run("recon s/study.toml --separate --out separate" + firm).code, 5);
  ASSERT_EQ(run_processes(2, "recon s/study.toml --mpi --out two" + firm).code, 5);
  ASSERT_EQ(run_processes(8, "recon s/study.toml --mpi --out eight" + firm).code, 5);
  const auto expected = history("together");
  ASSERT_EQ(expected.size(), 4u);
  for (const std::string out : {"separate", "two", "eight"}) {
    const auto lines = history(out);
    ASSERT_EQ(lines.size(), expected.size()) << out;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      expect_near(lines[k].at("error_to_truth"), expected[k].at("error_to_truth"));
      ASSERT_EQ(lines[k].at("residuals").size(), 4u) << out;
      for (const auto& [site, residual] : expected[k].at("residuals").items()) {
        expect_near(lines[k].at("residuals").at(site), residual);
      }
    }
    for (const char* phase : {"reading", "solving", "writing images"}) {
      EXPECT_GT(summary(out).at("phases").at(phase).get<double>(), 0) << out << phase;
    }
  }
}

TEST_F(SeparateSites, CheckMemory) {
  const Outcome enough = run("recon s/study.toml --separate --out r");
  ASSERT_EQ(enough.code, 0) << enough.err;
  EXPECT_EQ(enough.err.rfind("memory: about ", 0), 0u) << enough.err;
  StudyFile file = read_study(directory_ / "s/study.toml");
  file.rows = file.columns = 32768;
  file.truth.clear();
  write_study(directory_ / "s/large.toml", file);
  const Outcome one = run("recon s/large.toml --separate --out l");
  expect_error(one, 3, "memory: expected about ");
  EXPECT_CONTAINS(one.err, "for 2 slices by firm-ds, site by site, found ");
  const Outcome many = run_processes(8, "recon s/large.toml --mpi --out l");
  EXPECT_EQ(many.code, 3);
  const std::size_t first = many.err.find("firm: error: memory: expected about ");
  ASSERT_NE(first, std::string::npos) << many.err;
  EXPECT_EQ(many.err.find("firm: error: ", first + 1), std::string::npos) << many.err;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "l"));
}

TEST_F(SeparateSites, ResumeToSameBytes) {
  const std::string firm = " --method firm --set stop.discrepancy=0";
  ASSERT_EQ(run("recon s/study.toml --separate --out whole --set stop.rounds=40" + firm).code, 5);
  ASSERT_EQ(run("recon s/study.toml --separate --out part --set stop.rounds=25" + firm).code, 5);
  const Outcome o =
      run_processes(2, "recon s/study.toml --mpi --out part --resume --set stop.rounds=40");
  ASSERT_EQ(o.code, 5) << o.err;
  EXPECT_CONTAINS(
      o.out,
      "  mpirun -n 2 firm recon s/study.toml --out part --resume --mpi --set stop.rounds=80\n");
  EXPECT_EQ(images_of_all_sites("part"), images_of_all_sites("whole"));
  const auto lines = history("part");
  ASSERT_EQ(lines.size(), 41u);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(lines[k].at("round"), k);
    EXPECT_EQ(lines[k].at("residuals").size(), 4u) << k;
  }
}

TEST_F(SeparateSites, ReportErrorOnce) {
  const Outcome count = run_processes(3 + 4, "recon s/study.toml --mpi --out r");
  EXPECT_EQ(count.code, 2);
  EXPECT_CONTAINS(count.err, "found 7 processes");
  std::filesystem::remove(directory_ / "s/xrf-2.h5");
  const Outcome data = run_processes(4, "recon s/study.toml --mpi --out r");
  EXPECT_EQ(data.code, 3);
  const std::size_t first = data.err.find("firm: error: ");
  ASSERT_NE(first, std::string::npos) << data.err;
  EXPECT_CONTAINS(data.err, "xrf-2.h5");
  EXPECT_EQ(data.err.find("firm: error: ", first + 1), std::string::npos) << data.err;
}

}  // namespace
}  // namespace firm
