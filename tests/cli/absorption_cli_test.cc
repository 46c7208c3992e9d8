// Self-absorption on the command line: masses, chunks, memory, resumed runs, several processes, and
// methods that cannot do it.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/child_process.h"
#include "io/files/image_file.h"
#include "support/command_line.h"
#include "support/wait_until.h"

namespace firm {
namespace {

class AbsorptionRun : public CommandLine {
 protected:
  void simulate(const std::string& more = "") {
    const bool rod = more.find("rod") != std::string::npos;
    const Outcome o = run("simulate --out s --angles 16 --self-absorption --noise 0.01 --size " +
                          std::string(rod ? "32 " : "24 ") + more);
    ASSERT_EQ(o.code, 0) << o.err;
  }
  void recon(const std::string& arguments, int code = 5) {
    const Outcome o = run("recon s/study.toml --set threads=1 " + arguments);
    ASSERT_EQ(o.code, code) << o.err;
  }
  Block image(const std::string& run, const std::string& name) {
    return read_images(directory_ / run + "/images.h5", name);
  }
  std::string bytes(const std::string& run) {
    return file_content(directory_ / run + "/images.h5");
  }
  static std::string mpi(int processes) {
    return "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 "
           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n " +
           std::to_string(processes);
  }
  // Sends SIGINT to a run in its first outer round; returns its exit code.
  std::optional<int> interrupt_search(const std::string& out, const std::string& options) {
    constexpr double kPatience = 60;
    std::vector<std::string> command = {FIRM_PROGRAM, "recon",          directory_ / "s/study.toml",
                                        "--out",      directory_ / out, "--set",
                                        "threads=1"};
    std::istringstream words(options);
    for (std::string word; words >> word;) command.push_back(word);
    ChildProcess child(command);
    EXPECT_TRUE(wait_until(kPatience, [&] {
      return child.output().find("self-absorption, round 1:") != std::string::npos;
    }));
    child.send(SIGINT);
    return child.wait(kPatience);
  }
  void expect_same_images(const std::string& a, const std::string& b) {
    for (const std::string name : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
      const Block expected = image(a, name);
      const Block found = image(b, name);
      EXPECT_TRUE(std::ranges::equal(expected.values(), found.values())) << name;
    }
  }
};

constexpr const char* kFew = " --set stop.rounds=3 --set absorption.rounds=2";

TEST_F(AbsorptionRun, FindsMasses) {
  simulate("--preset smooth");
  recon("--out r", 0);
  const auto s = summary("r");
  EXPECT_GE(s.at("outer_rounds"), 1);
  EXPECT_LE(s.at("outer_rounds"), 5);
  for (const std::string name : {"xrf-1", "xrf-2", "xrf-3"}) {
    const Block truth = read_images(directory_ / "s/truth.h5", name);
    double mass = 0;
    for (const float w : truth.values()) mass += static_cast<double>(w);
    const double side = 100e-4 / 24;  // of a pixel, and the height of a slice
    mass *= side * side * side;
    EXPECT_NEAR(s.at("masses").at(name).get<double>() / mass, 1, 0.03) << name;
    const auto rounds = s.at("absorption").at("sites").at(name).at("masses");
    EXPECT_EQ(rounds.size(), s.at("outer_rounds").get<std::size_t>() + 2);
    EXPECT_LT(rounds.front().get<double>() / mass, 0.95) << name;  // without absorption
    EXPECT_LT(s.at("kept_fraction").at(name), 0.95);
    EXPECT_GT(s.at("kept_fraction").at(name), 0.1);
  }
  recon("--out ignored --set absorption.rounds=0", 0);
  EXPECT_FALSE(summary("ignored").contains("masses"));
}

// Each chunk finds the T of its own slices.
TEST_F(AbsorptionRun, GivesSameImagesInChunks) {
  simulate("--preset elements --slices 2");
  recon("--out whole --set chunks=1 --set stop.noise=0" + std::string(kFew));
  recon("--out chunks --set chunks=2 --set stop.noise=0" + std::string(kFew));
  for (const std::string name : {"xrf-1", "xrf-2", "xrf-3"}) {
    const double whole = summary("whole").at("masses").at(name);
    const double chunks = summary("chunks").at("masses").at(name);
    EXPECT_NEAR(chunks / whole, 1, 0.01) << name;
  }
}

TEST_F(AbsorptionRun, Resumes) {
  simulate();
  for (const std::string mode : {"", " --separate"}) {
    recon("--out whole --overwrite" + mode + kFew);
    recon("--out r --overwrite --set absorption.rounds=2 --set stop.rounds=1" + mode);
    recon("--out r --resume --set absorption.rounds=2 --set stop.rounds=3" + mode);
    EXPECT_EQ(bytes("r"), bytes("whole")) << mode;
    EXPECT_EQ(summary("r").at("masses"), summary("whole").at("masses"));
  }
}

TEST_F(AbsorptionRun, GivesSameImagesWithAnyNumberOfThreads) {
  simulate();
  recon("--out one" + std::string(kFew));
  recon("--out three --set threads=3" + std::string(kFew));
  expect_same_images("one", "three");
}

TEST_F(AbsorptionRun, GivesSameImagesWithMpi) {
  simulate("--slices 2");
  recon("--out separate --separate" + std::string(kFew));
  const Outcome o = run("recon s/study.toml --out mpi --mpi" + std::string(kFew), mpi(4));
  ASSERT_EQ(o.code, 5) << o.err;
  expect_same_images("separate", "mpi");
  EXPECT_EQ(summary("mpi").at("masses"), summary("separate").at("masses"));
}

// Two slices that differ, each with a group of processes.
TEST_F(AbsorptionRun, GivesSameImagesWithSlicesOverProcesses) {
  simulate("--preset geode --slices 2");
  recon("--out separate --separate" + std::string(kFew));
  const Outcome o = run("recon s/study.toml --out mpi --mpi" + std::string(kFew), mpi(8));
  ASSERT_EQ(o.code, 5) << o.err;
  expect_same_images("separate", "mpi");
}

// Ctrl-C while T is found leaves a checkpoint of the search, here of its first chunk.
TEST_F(AbsorptionRun, ResumesTheSearchForT) {
  const Outcome made =
      run("simulate --out s --size 32 --angles 24 --slices 2 --self-absorption --noise 0.01 "
          "--preset geode --pixel-size 12");
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string few = " --set stop.rounds=3 --set absorption.rounds=3";
  for (const std::string mode : {"", " --separate", " --set chunks=2"}) {
    recon("--out whole --overwrite" + few + mode);
    std::filesystem::remove_all(directory_ / "r");
    EXPECT_EQ(interrupt_search("r", few + mode), 5) << mode;
    const Outcome resumed =
        run("recon s/study.toml --resume --out r" + (mode == " --separate" ? mode : std::string()));
    ASSERT_EQ(resumed.code, 5) << resumed.err;
    const std::size_t last = resumed.err.find("self-absorption, round 3:");
    ASSERT_NE(last, std::string::npos) << resumed.err;
    EXPECT_GT(resumed.err.find("self-absorption, round 1:"), last) << resumed.err;
    EXPECT_EQ(bytes("r"), bytes("whole")) << mode;
    EXPECT_EQ(summary("r").at("masses"), summary("whole").at("masses"));
  }
}

TEST_F(AbsorptionRun, WorksWithPriorAndRefinement) {
  simulate("--jitter 2 --counts 1e5");
  recon("--out r --prior tv --refine shifts --set prior.strength=0.5" + std::string(kFew));
  EXPECT_TRUE(summary("r").contains("refined"));
  EXPECT_TRUE(summary("r").contains("prior"));
  EXPECT_EQ(summary("r").at("outer_rounds"), 2);
}

TEST_F(AbsorptionRun, WorksForTheRod) {
  simulate("--preset rod");
  recon("--out r" + std::string(kFew));
  EXPECT_LT(summary("r").at("kept_fraction").at("xrf-1"), 0.8);  // a tungsten wire
}

TEST_F(AbsorptionRun, SaysThatMassesStillChange) {
  simulate();
  for (const int rounds : {1, 5}) {
    const Outcome o = run("recon s/study.toml --out r --overwrite --set absorption.rounds=" +
                          std::to_string(rounds));
    const std::string text = "xrf-1: its self-absorption is not found: its mass still changed by ";
    EXPECT_EQ(o.out.find(text) != std::string::npos, rounds == 1) << o.out;
    EXPECT_EQ(summary("r").at("warnings").dump().find(text) != std::string::npos, rounds == 1);
  }
}

TEST_F(AbsorptionRun, RefusesMethodsThatCannotCorrectIt) {
  simulate();
  for (const std::string method : {"firm", "firm+", "fedpgd", "plsqr"}) {
    const Outcome o = run("recon s/study.toml --out r --method " + method);
    EXPECT_EQ(o.code, 2);
    EXPECT_CONTAINS(o.err, "firm-ds, pgd");
    EXPECT_CONTAINS(o.err, "absorption.rounds = 0");
    EXPECT_EQ(run("check s/study.toml --method " + method).code, 2);
  }
  recon("--out p --method pgd" + std::string(kFew));
  EXPECT_EQ(summary("p").at("outer_rounds"), 2);
}

TEST_F(AbsorptionRun, CheckSaysWhatSitesLearn) {
  simulate();
  const Outcome three = run("check s/study.toml");
  EXPECT_EQ(three.code, 0) << three.out;
  EXPECT_CONTAINS(three.out, "absorption.start");
  const Outcome refused = run("check s/study.toml --set absorption.start=plain");
  EXPECT_CONTAINS(refused.out, "opens sums at 2 energies");
}

}  // namespace
}  // namespace firm
