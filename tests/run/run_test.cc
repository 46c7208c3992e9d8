// The public class Run: in memory and in a directory, from files and from arrays.
#include "firm/run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "firm/scan.h"
#include "firm/tools.h"
#include "io/files/pending_file.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    simulate_study(directory_.path(),
                   {{"size", "24"}, {"angles", "8"}, {"slices", "2"}, {"noise", "0.01"}});
  }

  RunRequest request() const { return {.study = directory_ / "study.toml"}; }
  std::string file(const std::string& name) const {
    return read_text_file(directory_ / name).value_or("");
  }

  TemporaryDirectory directory_;
};

TEST_F(RunTest, SavesWhatADirectoryRunWrites) {
  const firm::Run run(request());
  EXPECT_TRUE(run.solution().summary.termination.converged);
  EXPECT_EQ(run.units("xrt"), "1/cm");
  EXPECT_EQ(run.quantity("xrf-1"), "density");
  run.save(directory_ / "saved");
  run_in_directory({.run = request(), .out = directory_ / "written"});
  for (const char* name : {"images.h5", "overview.png", "study.toml"}) {
    EXPECT_EQ(file(std::string("saved/") + name), file(std::string("written/") + name)) << name;
    EXPECT_FALSE(file(std::string("saved/") + name).empty()) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(directory_ / "saved/report.html"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "saved/checkpoint.h5"));
  EXPECT_CONTAINS(error_of([&] { run.save(directory_ / "saved"); }), "saved");
  run.save(directory_ / "saved", Existing::kOverwrite);
}

TEST_F(RunTest, SavesInterruptedRunThatResumes) {
  RunRequest slow = request();
  slow.settings = {{"ds.local_steps", "1"}};
  int rounds = 0;
  Observer observer;
  observer.on_round = [&](const RoundRecord& r, int) { rounds = r.round; };
  observer.interrupted = [&] { return rounds >= 3; };
  const firm::Run run(slow, observer);
  EXPECT_EQ(run.solution().summary.termination.reason, "interrupted");
  run.save(directory_ / "resumed");
  run_in_directory(
      {.run = request(), .out = directory_ / "resumed", .existing = Existing::kResume});
  run_in_directory({.run = slow, .out = directory_ / "straight"});
  const auto a = read_stored_images(directory_ / "resumed/images.h5", "xrf-2");
  const auto b = read_stored_images(directory_ / "straight/images.h5", "xrf-2");
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(0, std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)));
}

// A view of the values of a scan, whose columns are slices.
SiteArrays arrays_of(const ScanFile& scan, const Block& values) {
  const auto slices = static_cast<std::ptrdiff_t>(scan.slices());
  const auto beamlets = static_cast<std::ptrdiff_t>(scan.beamlets());
  SiteArrays arrays;
  arrays.data = {values.data(),   scan.angles().size(), scan.slices(),
                 scan.beamlets(), beamlets * slices,    1,
                 slices};
  arrays.theta = scan.angles();
  arrays.units = scan.units();
  return arrays;
}

TEST_F(RunTest, GivesSameImagesFromArraysAndFromTheFilesItSavesThemIn) {
  std::vector<std::unique_ptr<Block>> blocks;
  RunRequest arrays = request();
  arrays.text = file("study.toml");
  arrays.study = "arrays";
  arrays.truth = directory_ / "truth.h5";
  for (const std::string name : {"xrf-1", "xrf-2", "xrf-3", "xrt"}) {
    const ScanFile scan(directory_ / (name + ".h5"));
    blocks.push_back(std::make_unique<Block>(scan.values()));
    arrays.arrays[name] = arrays_of(scan, *blocks.back());
  }
  const firm::Run from_arrays(arrays);
  const firm::Run from_files(request());
  const Block& a = from_arrays.solution().images;
  const Block& b = from_files.solution().images;
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(float)));
  from_arrays.save(directory_ / "saved");
  const firm::Run again({.study = directory_ / "saved/study.toml"});
  const Block& c = again.solution().images;
  EXPECT_EQ(0, std::memcmp(a.data(), c.data(), a.size() * sizeof(float)));
}

TEST_F(RunTest, RefusesArraysThatDoNotFit) {
  RunRequest request_with = request();
  request_with.arrays["Fe"] = {};
  EXPECT_CONTAINS(error_of([&] { firm::Run run(request_with); }), "found 'Fe'");
  const ScanFile scan(directory_ / "xrt.h5");
  const Block values = scan.values();
  request_with.arrays = {{"xrt", arrays_of(scan, values)}};
  request_with.arrays["xrt"].theta.pop_back();
  EXPECT_CONTAINS(error_of([&] { firm::Run run(request_with); }),
                  "site xrt: theta: expected 8 angles, one per projection, found 7");
}

TEST_F(RunTest, FindsAxisOfArrays) {
  const ScanFile scan(directory_ / "xrt.h5");
  const Block values = scan.values();
  const FoundAxis axis = find_axis({.arrays = arrays_of(scan, values), .logarithms = true});
  EXPECT_TRUE(axis.found);
  EXPECT_NEAR(axis.axis, static_cast<double>(scan.beamlets()) / 2, 1);
}

TEST_F(RunTest, RefusesUnknownOptionsOfASimulation) {
  EXPECT_CONTAINS(
      error_of([&] {
        simulate_study(directory_ / "new", {{"sise", "24"}});
      }),
      "simulate: expected an option of firm simulate, found 'sise' (did you mean size?)");
  EXPECT_CONTAINS(error_of([&] {
                    simulate_study(directory_ / "new", {{"size", "24.5"}});
                  }),
                  "simulate: size: expected a whole number, found '24.5'");
}

}  // namespace
}  // namespace firm
