// A killed federation whose files were changed or damaged before it is started again.
#include <fstream>
#include <set>
#include <sstream>

#include "firm/error.h"
#include "io/hdf5/hdf5.h"
#include "run/store/checkpoint.h"
#include "service/federation_processes.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

class CheckpointFaults : public ::testing::Test {
 protected:
  CheckpointFaults() : federation_(plan()) {}

  static FederationPlan plan() {
    FederationPlan plan;
    plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=60"};
    plan.checkpoint_seconds = 0;  // in every round
    plan.delay = 5;
    return plan;
  }

  std::string path(const std::string& site, int round) const {
    return federation_.out(site) + "/checkpoint-" + std::to_string(round) + ".h5";
  }
  std::set<int> rounds(const std::string& site) const {
    std::set<int> found;
    std::error_code none_yet;
    for (const auto& entry : fs::directory_iterator(federation_.out(site), none_yet)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("checkpoint-") && name.ends_with(".h5")) {
        found.insert(std::stoi(name.substr(std::string("checkpoint-").size())));
      }
    }
    return found;
  }
  // Rounds at which every site has a checkpoint, the newest last.
  std::vector<int> common() const {
    std::vector<int> all;
    for (const int round : rounds("xrt")) {
      const auto& sites = FederationProcesses::sites();
      if (std::all_of(sites.begin(), sites.end(),
                      [&](const auto& site) { return rounds(site).contains(round); })) {
        all.push_back(round);
      }
    }
    return all;
  }

  // Starts all processes, and kills them once there are checkpoints of several rounds.
  void kill_midway(const std::vector<std::string>& settings = {}, int newest = 0) {
    federation_.new_run();
    federation_.start(FederationProcesses::kCoordinator, settings);
    for (const std::string& site : FederationProcesses::sites()) federation_.start(site, settings);
    ASSERT_TRUE(wait_until(FederationProcesses::kPatience, [&] {
      return common().size() >= 2 && common().back() >= newest;
    })) << federation_.everything_printed();
    for (const std::string& name : federation_.everyone()) federation_.kill(name);
    ASSERT_GE(common().size(), 2u);
  }

  // Starts all processes again; the run must resume at that round.
  void expect_resume_from(int round) {
    federation_.start_all();
    federation_.expect_all_finish();
    const std::vector<int> beginnings = federation_.beginnings();
    ASSERT_GE(beginnings.size(), 2u);
    EXPECT_EQ(beginnings.back(), round) << federation_.everything_printed();
  }

  FederationProcesses federation_;
};

// Returns the number of values. All can be read; only the hash shows whether they are right.
std::size_t readable_values(const std::string& file) {
  std::size_t count = 0;
  try {
    const h5::Reader reader(file);
    std::istringstream names(reader.text("/names"));
    for (std::string type, name; names >> type >> name;) {
      const h5::Dataset dataset = reader.dataset("/state/" + name);
      dataset.check_size();  // throws if the size itself was damaged
      std::vector<double> values(dataset.shape().at(0));
      dataset.read({{0}, {values.size()}}, std::span<double>(values));
      count += values.size();
    }
  } catch (const Error&) {
    return 0;
  }
  return count;
}

// Damages one of the values. (An HDF5 file also has gaps, and bytes without which it is
// unreadable.)
void flip_a_byte(const std::string& file) {
  const std::string content = file_content(file);
  const std::string hash = h5::Reader(file).text("/sha256");
  const std::size_t values = readable_values(file);
  for (std::size_t at = content.size() / 2; at < content.size(); ++at) {
    std::string changed = content;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    std::ofstream(file, std::ios::binary) << changed;
    if (!intact_checkpoint(file) && readable_values(file) == values &&
        h5::Reader(file).text("/sha256") == hash) {
      return;
    }
  }
  FAIL() << file;
}

TEST(Checkpoint, WithOtherShapeIsNotIntact) {
  const TemporaryDirectory directory;
  const std::vector<float> values = {1, 2, 3, 4};
  for (const h5::Shape& shape : {h5::Shape{2, 2}, h5::Shape{}}) {
    h5::Writer writer(directory / "c.h5");
    writer.text("/identity", "i");
    writer.number("/round", 3, "1");
    writer.dataset("/state/w", shape, std::span(values.data(), h5::element_count(shape)));
    writer.text("/names", "float w\n");
    writer.text("/sha256", "0");
    writer.commit();
    EXPECT_FALSE(intact_checkpoint(directory / "c.h5"));
  }
}

TEST_F(CheckpointFaults, SkipsDamagedCheckpoints) {
  kill_midway();
  std::vector<int> before = common();
  flip_a_byte(path("xrf-2", before.back()));
  expect_resume_from(before[before.size() - 2]);

  kill_midway();
  before = common();
  fs::resize_file(path("xrt", before.back()), fs::file_size(path("xrt", before.back())) / 2);
  fs::resize_file(path("xrf-1", before.back()), 0);
  expect_resume_from(before[before.size() - 2]);

  kill_midway();
  for (const int round : rounds("xrf-3")) fs::remove(path("xrf-3", round));
  expect_resume_from(0);
}

TEST_F(CheckpointFaults, SetsAsideCheckpointsOfOtherRuns) {
  // The checkpoint is intact and of the right round, but of another run.
  kill_midway();
  const std::vector<int> before = common();
  write_checkpoint(path("xrf-2", before.back()), "version 0\n", before.back(),
                   [](Archive& archive) {
                     double value = 1;
                     archive.number("run/seconds", value);
                   });
  expect_resume_from(before[before.size() - 2]);
  EXPECT_CONTAINS(federation_.log("xrf-2"), "it is set aside");
  EXPECT_CONTAINS(federation_.log(FederationProcesses::kCoordinator),
                  "xrf-2: cannot continue: its checkpoint of round");
  EXPECT_TRUE(fs::exists(path("xrf-2", before.back()) + ".other"));

  // All of them are of a run with other options.
  kill_midway({"firm.hold=7"});
  expect_resume_from(0);
  EXPECT_CONTAINS(federation_.log("xrf-2"), "firm.hold");
}

// A site that restarts from an older round drops its newer checkpoints and keeps the new ones.
TEST_F(CheckpointFaults, RemovesNewerCheckpoints) {
  kill_midway({}, 30);
  const int oldest = *rounds("xrf-1").begin();
  for (const int round : rounds("xrf-3")) fs::remove(path("xrf-3", round));
  federation_.start_all();
  ASSERT_TRUE(wait_until(FederationProcesses::kPatience, [&] { return !common().empty(); }));
  for (const std::string& name : federation_.everyone()) federation_.kill(name);
  ASSERT_FALSE(common().empty());
  EXPECT_LT(common().front(), oldest);
  expect_resume_from(common().back());
}

TEST_F(CheckpointFaults, NamesDamagedState) {
  kill_midway();
  const struct {
    std::string name;
    std::string file;
    std::string part;
  } cases[] = {{"xrf-2", "federation.json", "the state of a run"},
               {"coordinator", "coordinator.json", "the state of a coordinator"}};
  for (const auto& c : cases) {
    const std::string file = federation_.out(c.name) + "/" + c.file;
    const std::string content = file_content(file);
    for (const std::string& damaged : {std::string(), content.substr(0, content.size() / 2),
                                       std::string("[1]"), std::string(R"({"run": 1})")}) {
      std::ofstream(file) << damaged;
      ChildProcess process(federation_.command(c.name));
      EXPECT_EQ(process.wait(FederationProcesses::kPatience), 3);
      EXPECT_CONTAINS(process.output(), "firm: error: " + file + ": expected " + c.part);
    }
    // An unreadable file is not treated as a missing one: nothing is removed.
    fs::remove(file);
    fs::create_directory(file);
    ChildProcess process(federation_.command(c.name));
    EXPECT_EQ(process.wait(FederationProcesses::kPatience), 3);
    EXPECT_CONTAINS(process.output(), file + ": expected a file that can be read, found Is a dir");
    fs::remove(file);
    std::ofstream(file) << content;
  }
  expect_resume_from(common().back());
}

}  // namespace
}  // namespace firm
