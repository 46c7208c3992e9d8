// `firm check` of studies, data, memory and disks.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numbers>

#include "check/preflight_fixture.h"
#include "io/files/directory_lock.h"
#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"

namespace firm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class PreflightTest : public Preflight {
 protected:
  std::string file_of(const std::string& site) const {
    return directory_ / ("study/" + site + ".h5");
  }

  template <typename Change>
  void change_data(const std::string& site, const Change& change) {
    Acquisition a = read_acquisition(file_of(site));
    change(a);
    write_acquisition(file_of(site), a);
  }
};

TEST_F(PreflightTest, FindsNothingInGoodStudy) {
  expect_good();
  expect_ok("study", "8 x 8 pixels, 1 slice, sites xrf-1, xrf-2, xrf-3, xrt");
  expect_ok("data of xrt", "5 angles from 0 to 144 degrees, 12 beamlets");
  expect_ok("method", "firm-ds");
  expect_ok("masks", "4 sites");
  expect_ok("memory", "needed");
  EXPECT_EQ(find(Level::kOk, "disk"), nullptr);  // not requested
}

// ---- study -------------------------------------------------------------------------------------

TEST_F(PreflightTest, NamesPlaceOfErrorInStudy) {
  write_text_file(arguments_.study, "[study]\nnam = \"x\"\n");
  expect_problem(2, "study", "nam", "docs/formats.md");
  arguments_.study = directory_ / "none.toml";
  expect_problem(2, "study", "none.toml", "correct");
}

TEST_F(PreflightTest, ContinuesWithoutStudy) {
  arguments_.study = directory_ / "none.toml";
  arguments_.out = directory_ / "run";
  arguments_.listen = "nonsense";
  EXPECT_EQ(check(), 4);
  EXPECT_NE(find(Level::kError, "study"), nullptr);
  EXPECT_NE(find(Level::kError, "listen"), nullptr);
  EXPECT_NE(find(Level::kOk, "disk"), nullptr);
}

TEST_F(PreflightTest, RefusesUnknownOption) {
  arguments_.settings = {{"stop.round", "5"}};
  expect_problem(2, "options", "stop.round", "firm recon --help");
}

TEST_F(PreflightTest, RefusesUnknownSite) {
  arguments_.name = "argonne";
  expect_problem(2, "site", "expected one of xrf-1, xrf-2, xrf-3, xrt, found argonne", "the name");
}

TEST_F(PreflightTest, RefusesNamesIllegalInCertificates) {
  change_study([](StudyFile& f) {
    f.sites[1].name = "Coordinator";
    f.truth = "";
  });
  expect_warning("names", "found 'Coordinator'", "another name");
  arguments_.name = "xrf-1";
  expect_problem(2, "names", "found 'Coordinator'", "another name");
}

TEST_F(PreflightTest, RefusesFedpgdWithMasks) {
  arguments_.settings = {{"method", "fedpgd"}};
  expect_warning("masks", "fedpgd", "firm-ds");
  arguments_.name = "xrf-1";
  expect_problem(2, "masks", "fedpgd", "--insecure");
  arguments_.insecure = true;
  expect_warning("masks", "the coordinator may see", "--insecure");
}

TEST_F(PreflightTest, ChecksNumberOfSitesForMasks) {
  arguments_.name = "xrf-1";
  change_study([](StudyFile& f) { f.sites.erase(f.sites.begin() + 1); });
  expect_ok("masks", "3 sites");
  change_study([](StudyFile& f) { f.sites.erase(f.sites.begin() + 1); });
  expect_problem(2, "masks", "expected three sites or more, found 2", "--allow-two");
  arguments_.allow_two = true;
  expect_warning("masks", "each of the two sites can compute", "a third site");
}

TEST_F(PreflightTest, ChecksAssumptionsOfFirm) {
  arguments_.settings = {{"method", "firm"}};
  expect_ok("method", "all sites have the same rays and sigma");
  change_study([](StudyFile& f) { f.other = true; });
  expect_problem(2, "method", "other = true", "firm-ds");
  change_study([](StudyFile& f) {
    f.other = false;
    f.sites[0].sigma = 2;
  });
  expect_problem(2, "method", "different sigma", "firm-ds");
  change_study([](StudyFile& f) {
    f.sites[0].sigma = 1;
    f.sites[0].rotation_axis = 5;
  });
  expect_problem(2, "method", "different geometry", "firm-ds");
  // A site alone cannot know; the coordinator checks it when all are connected.
  arguments_.name = "xrf-1";
  expect_ok("method", "checked when they connect");
}

TEST_F(PreflightTest, FingerprintsStudyAndOptions) {
  const auto agreement = [&] {
    check();
    const Finding* found = find(Level::kOk, "agreement");
    return found == nullptr ? "" : found->text;
  };
  const std::string here = agreement();
  const std::string digits = here.substr(here.find(": "));
  EXPECT_GE(std::ranges::count_if(digits, [](char c) { return std::isxdigit(c) != 0; }), 64);
  change_study([](StudyFile& f) { f.sites[0].data = "elsewhere.h5"; });
  EXPECT_EQ(agreement(), here);
  change_study([](StudyFile& f) { f.sites[0].coefficient *= 2; });
  EXPECT_NE(agreement(), here);
}

// ---- data --------------------------------------------------------------------------------------

TEST_F(PreflightTest, NeedsDataExceptAtCoordinator) {
  std::filesystem::remove(file_of("xrf-2"));
  expect_problem(3, "data of xrf-2", "no such file", "--data");
  arguments_.name = "xrf-1";
  expect_good();
  arguments_.name = "xrf-2";
  expect_problem(3, "data of xrf-2", "no such file", "--data");
  arguments_.data = file_of("xrf-3");
  expect_good();
  arguments_.name = arguments_.data = "";
  arguments_.listen = "0.0.0.0:0";
  expect_good();
  for (const char* site : {"xrf-1", "xrf-3", "xrt"}) std::filesystem::remove(file_of(site));
  expect_ok("data", "none here");
}

TEST_F(PreflightTest, RefusesInvalidFile) {
  write_text_file(file_of("xrf-1"), "no HDF5");
  expect_problem(3, "data of xrf-1", "xrf-1.h5", "firm inspect");
}

TEST_F(PreflightTest, RefusesDifferentNumberOfSlices) {
  change_study([](StudyFile& f) { f.slices = 2; });
  EXPECT_EQ(check(), 3);
  ASSERT_NE(find(Level::kError, "data of xrt"), nullptr);
  EXPECT_CONTAINS(find(Level::kError, "data of xrt")->text, "expected 2 slices");
}

TEST_F(PreflightTest, RefusesValuesAndAnglesThatAreNotFinite) {
  change_data("xrf-1", [](Acquisition& a) { a.data(3, 0) = static_cast<float>(kNan); });
  expect_problem(3, "data of xrf-1", "1 NaN or infinite values", "docs/formats.md");
  change_data("xrf-1", [](Acquisition& a) {
    a.data(3, 0) = 0;
    a.theta[2] = kNan;
  });
  expect_problem(3, "data of xrf-1", "finite angles", "firm inspect");
}

TEST_F(PreflightTest, RefusesCountsReadAsLogarithms) {
  change_data("xrt", [](Acquisition& a) { a.units = "counts"; });
  expect_problem(3, "data of xrt", "minus_log = true", "what the study says");
}

TEST_F(PreflightTest, WarnsAboutAnglesInRadians) {
  change_data("xrf-1", [](Acquisition& a) {
    for (double& angle : a.theta) angle *= std::numbers::pi / 180;
  });
  expect_warning("data of xrf-1", "look like radians", "docs/data.md");
  change_study([](StudyFile& f) { f.sites[0].angle_unit = "rad"; });
  EXPECT_EQ(check(), 0);
  expect_ok("data of xrf-1", "5 angles from 0 to 144 degrees");
}

TEST_F(PreflightTest, WarnsAboutRotationAxisAndNarrowDetector) {
  change_study([](StudyFile& f) { f.sites[0].rotation_axis = -3; });
  expect_warning("data of xrf-1", "outside the detector", "docs/data.md");
  change_study([](StudyFile& f) {
    f.sites[0].rotation_axis = 6;
    f.sites[0].spacing = *f.sites[0].spacing / 10;
  });
  expect_warning("data of xrf-1", "less than half of the image", "spacing");
}

TEST_F(PreflightTest, WarnsAboutZeroData) {
  change_data("xrf-1", [](Acquisition& a) {
    for (float& value : a.data.values()) value = 0;
  });
  expect_warning("data of xrf-1", "all values are 0: wrong file", "docs/data.md");
}

// ---- memory ------------------------------------------------------------------------------------

TEST_F(PreflightTest, RefusesStudyThatDoesNotFitMemory) {
  machine_.memory = std::uint64_t{1} << 20;
  arguments_.name = "xrf-1";
  expect_problem(3, "memory", "found 1 MiB available", "fewer slices");
  machine_.memory = std::uint64_t{1} << 30;
  check();
  // Just enough: "about 69 MiB needed" is rounded.
  const std::string needed = find(Level::kOk, "memory")->text.substr(std::string("about ").size());
  machine_.memory = (std::stoull(needed) + 1) << 20;
  expect_warning("memory", " MiB available", "fewer slices");
}

TEST_F(PreflightTest, SuggestsMaxMemoryForSingleProcess) {
  machine_.memory = std::uint64_t{1} << 20;
  expect_problem(3, "memory", "found 1 MiB available", "firm recon --max-memory");
}

TEST_F(PreflightTest, CountsMemoryForMaskedValues) {
  const auto needed = [&] {
    check();
    const Finding* found = find(Level::kOk, "memory");
    return found == nullptr ? 0 : std::stoi(found->text.substr(std::string("about ").size()));
  };
  change_study([](StudyFile& f) { f.rows = f.columns = 1000; });
  const int without = needed();
  EXPECT_GT(without, 64);
  change_study([](StudyFile& f) { f.sites[0].prepare.bad_values = "mask"; });
  EXPECT_GT(needed(), without);
}

TEST(MachineTest, HasMemoryAndDisk) {
  const Machine machine = this_machine();
  EXPECT_GT(machine.memory, std::uint64_t{16} << 20);
  EXPECT_LT(machine.memory, std::uint64_t{1} << 60);
  EXPECT_LE(machine.free_disk("/"), std::filesystem::space("/").capacity);
}

// ---- out ---------------------------------------------------------------------------------------

TEST_F(PreflightTest, NamesDirectoryThatAnotherProcessUses) {
  arguments_.out = directory_ / "run";
  make_directory(arguments_.out);
  {
    const DirectoryLock lock(arguments_.out);
    expect_problem(2, "out", "that another process uses", "another --out");
  }
  expect_good();
  expect_ok("disk", "can be written");
}

TEST_F(PreflightTest, ChecksDirectoryWithoutWriting) {
  arguments_.out = directory_ / "a/b/run";
  expect_good();
  expect_ok("disk", "can be written");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "a"));
  EXPECT_EQ(directory_.count(), 1u);  // the study
  write_text_file(directory_ / "a", "a file");
  expect_problem(3, "out", "a: expected a directory, found a file", "another --out");
}

TEST_F(PreflightTest, SaysOfAnEarlierRunWhatReconWillSay) {
  using Start = RunDirectory::Start;
  arguments_.out = directory_ / "run";
  make_directory(arguments_.out);
  expect_good();
  write_text_file(directory_ / "run/history.jsonl", "");
  expect_problem(2, "out", "found a run (history.jsonl)", "--resume or --overwrite");
  arguments_.start = Start::kOverwrite;
  expect_good();
  expect_ok("out", "will be replaced");
  arguments_.start = Start::kResume;
  EXPECT_EQ(check(), 2);
  ASSERT_NE(find(Level::kError, "options"), nullptr);
  EXPECT_CONTAINS(find(Level::kError, "options")->text, "found no study.toml in it");
  std::filesystem::copy_file(arguments_.study, directory_ / "run/study.toml");
  expect_good();
  expect_ok("out", "will be resumed");
  write_text_file(directory_ / "run/summary.json", "{}");
  expect_problem(2, "out", "found a finished one (summary.json)", "omit --resume");
}

TEST_F(PreflightTest, ChecksTruthOfTheStudy) {
  expect_good();
  expect_ok("truth", "truth.h5");
  change_study([](StudyFile& f) { f.truth = "none.h5"; });
  expect_problem(3, "truth", "none.h5", "truth of the study");
}

TEST_F(PreflightTest, CutsSlicesForMaxMemory) {
  SimulateOptions options;
  options.size = 8;
  options.angles = 5;
  options.slices = 6;
  options.threads = 1;
  write_simulation(simulate(options), directory_ / "six");
  arguments_.study = directory_ / "six/study.toml";
  change_study([](StudyFile& f) {
    f.rows = f.columns = 800;
    f.pixel_size /= 100;
    f.truth = "";
  });
  expect_good();
  const auto all = std::stoull(find(Level::kOk, "memory")->text.substr(std::strlen("about ")));
  arguments_.max_memory = (all - all / 10) << 20;
  expect_good();
  expect_ok("memory", "6 slices in 2 chunks");
  const auto values = [](const Finding& f) {
    return f.subject == "data of xrf-1" && f.text.starts_with("360 values");
  };
  EXPECT_TRUE(std::ranges::any_of(findings_, values));
  arguments_.max_memory = std::uint64_t{1} << 10;
  expect_problem(2, "memory", "--max-memory: expected at least", "--max-memory");
  arguments_.max_memory = std::uint64_t{1} << 40;
  expect_good();
  expect_ok("memory", "6 slices in 1 chunk");
}

TEST_F(PreflightTest, RefusesSmallDisk) {
  arguments_.out = directory_ / "run";
  machine_.free_disk = [](const std::string&) { return std::uint64_t{1} << 20; };
  expect_problem(3, "disk", "found 1 MiB", "another --out");
}

TEST_F(PreflightTest, RecognizesEarlierRun) {
  arguments_.out = directory_ / "run";
  arguments_.name = "xrf-1";
  make_directory(arguments_.out);
  write_text_file(directory_ / "run/summary.json", "{}");
  expect_problem(2, "out", "found another run", "another --out");
  const std::string state = directory_ / "run/federation.json";
  write_text_file(state, "nonsense");
  expect_problem(3, "out", "found something else", "another --out");
  write_text_file(state, R"({"run": "ab12", "done": false})");
  expect_ok("out", "run ab12 will be resumed");
  write_text_file(state, R"({"run": "ab12", "done": true})");
  expect_warning("out", "run ab12 is finished", "another --out");
}

}  // namespace
}  // namespace firm
