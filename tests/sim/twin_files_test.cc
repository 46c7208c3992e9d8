// Files of a twin: data, the true scan in truth.h5, and a study that knows nothing of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <numeric>

#include "io/files/image_file.h"
#include "io/formats/data_exchange.h"
#include "io/formats/scan.h"
#include "io/hdf5/hdf5.h"
#include "io/study/study_file.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

using Change = std::function<void(SimulateOptions&)>;

SimulateOptions rod() {
  SimulateOptions o;
  o.preset = "rod";
  o.size = 40;
  o.angles = 9;
  o.slices = 2;
  o.pixel_size = default_pixel_size("rod", 40);
  return o;
}

void all_defects(SimulateOptions& o) {
  o.counts = 1e4;
  o.xrf_counts = 1e3;
  o.defects = {2, 3, 0.5, 4, 0.014, 5, 0.05, 0.1};
}

const std::vector<Change>& single_defects() {
  static const std::vector<Change> changes = {
      [](SimulateOptions& o) { o.defects.jitter = 2; },
      [](SimulateOptions& o) { o.defects.drift = 2; },
      [](SimulateOptions& o) { o.defects.vertical_jitter = 0.5; },
      [](SimulateOptions& o) { o.defects.axis_offset = 2; },
      [](SimulateOptions& o) { o.defects.angle_error = 0.01; },
      [](SimulateOptions& o) { o.defects.lag = 3; },
      [](SimulateOptions& o) { o.defects.beam_drift = 0.1; },
      [](SimulateOptions& o) { o.defects.crosstalk = 0.1; },
      [](SimulateOptions& o) { o.xrf_counts = 1000; }};
  return changes;
}

std::vector<double> numbers(const h5::Reader& reader, const std::string& path) {
  return reader.dataset(path).read_all<double>();
}

TEST(TwinFiles, OneFileHasAllElements) {
  const TemporaryDirectory directory;
  SimulateOptions o = rod();
  all_defects(o);
  const Simulation s = simulate(o);
  const std::vector<std::string> paths = write_simulation(s, directory.path());
  EXPECT_EQ(paths, (std::vector<std::string>{directory / "xrf.h5", directory / "xrt.h5",
                                             directory / "truth.h5", directory / "study.toml"}));
  EXPECT_EQ(directory.count(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Scan scan = open_scan(directory / "xrf.h5", {s.sites[i].title});
    EXPECT_EQ(scan.elements, (std::vector<std::string>{"W", "Au", "Zn"}));
    EXPECT_EQ(scan.data->facts().units, "counts");
    ASSERT_EQ(scan.theta.size(), 9u);
    EXPECT_NEAR(scan.theta[2], 40, 1e-12);  // as in the files, not the true angle
    const Block data = read_block(*scan.data);
    ASSERT_EQ(data.size(), s.sites[i].data.size());
    for (std::size_t k = 0; k < data.size(); ++k) {
      ASSERT_EQ(data.data()[k], s.sites[i].data.data()[k]);
    }
  }
  const Acquisition xrt = read_acquisition(directory / "xrt.h5");
  EXPECT_NEAR(xrt.theta[2], 40, 1e-12);
  EXPECT_EQ(xrt.rotation_axis, xrt.beamlets / 2.0);
}

TEST(TwinFiles, TruthHasScan) {
  const TemporaryDirectory directory;
  SimulateOptions o = rod();
  all_defects(o);
  const Simulation s = simulate(o);
  write_simulation(s, directory.path());
  const h5::Reader reader(directory / "truth.h5");
  EXPECT_EQ(numbers(reader, "/entry/scan/shifts"), s.scan.shifts);
  EXPECT_EQ(numbers(reader, "/entry/scan/vertical_shifts"), s.scan.vertical_shifts);
  EXPECT_NEAR(numbers(reader, "/entry/scan/angles")[2], 40 * 1.014, 1e-12);
  EXPECT_EQ(reader.number("/entry/scan/angle_scale"), 1.014);
  for (const SimulatedSite& site : s.sites) {
    const std::string group = "/entry/scan/" + site.name;
    EXPECT_EQ(reader.number(group + "/rotation_axis"), s.geometry.beamlets / 2.0 + 4);
    EXPECT_EQ(numbers(reader, group + "/gain"), s.scan.gain);
    EXPECT_EQ(reader.has(group + "/lag"), site.is_xrt());
    if (site.is_xrt()) continue;
    EXPECT_EQ(reader.number(group + "/scale"), site.scale);
    EXPECT_EQ(reader.number(group + "/crosstalk"), site.name == "xrf-1" ? 0.1 : 0);
    const std::vector<double> mass = numbers(reader, group + "/mass");
    ASSERT_EQ(mass.size(), 2u);
    double sum = 0;
    for (std::size_t p = 0; p < site.truth.rows(); ++p)
      sum += static_cast<double>(site.truth(p, 1));
    EXPECT_NEAR(mass[1], sum * o.pixel_size * o.pixel_size, 1e-9 * mass[1]);
  }
  EXPECT_EQ(reader.number("/entry/scan/xrt/lag"), 5);
  // The scan is no site.
  EXPECT_EQ(image_names(directory / "truth.h5"),
            (std::vector<std::string>{"other", "xrf-1", "xrf-2", "xrf-3", "xrt"}));
}

TEST(TwinFiles, StudyHasWhatUserKnows) {
  const TemporaryDirectory directory;
  SimulateOptions o = rod();
  all_defects(o);
  write_simulation(simulate(o), directory.path());
  const StudyFile study = read_study(directory / "study.toml");
  EXPECT_TRUE(study.other);
  EXPECT_EQ(study.energy, 12.1);
  EXPECT_EQ(study.slices, 2);
  const std::string elements[] = {"W", "Au", "Zn", ""};
  for (std::size_t i = 0; i < 4; ++i) {
    const SiteEntry& site = study.sites[i];
    EXPECT_EQ(site.scan, "A");
    EXPECT_EQ(site.element, elements[i]);
    EXPECT_EQ(site.data, i < 3 ? "xrf.h5" : "xrt.h5");
    EXPECT_EQ(site.noise, Noise::kCounts);
    EXPECT_EQ(site.prepare.find_scale, i < 3);
    EXPECT_FALSE(site.prepare.scale);
    EXPECT_FALSE(site.prepare.lag);
    EXPECT_TRUE(site.prepare.unmix.empty());
    EXPECT_TRUE(site.prepare.gain.empty());
    EXPECT_TRUE(site.shifts.empty());
    EXPECT_TRUE(site.shifts_vertical.empty());
    EXPECT_EQ(site.angle_scale, 1);
    EXPECT_EQ(*site.rotation_axis, 57.0 / 2);
  }
}

TEST(TwinFiles, StudyOfNoisyLogarithmsEstimatesNoise) {
  const TemporaryDirectory directory;
  SimulateOptions o = rod();
  o.noise = 0.01;
  write_simulation(simulate(o), directory.path());
  const StudyFile noisy = read_study(directory / "study.toml");
  for (const SiteEntry& site : noisy.sites) {
    EXPECT_EQ(site.noise, Noise::kEstimated);
    EXPECT_EQ(site.scan, "");
    EXPECT_FALSE(site.prepare.find_scale);
  }
  EXPECT_EQ(noisy.sites[0].compound, "W");
  EXPECT_EQ(noisy.sites[0].data, "xrf-1.h5");
  o.noise = 0;
  write_simulation(simulate(o), directory.path());
  EXPECT_EQ(read_study(directory / "study.toml").sites[0].noise, Noise::kGiven);
}

// Every preset takes every defect; every study can be read.
TEST(TwinFiles, EveryPresetTakesEveryDefect) {
  for (const std::string preset : {"paper", "elements", "shapes", "rod"}) {
    std::vector<Change> changes = single_defects();
    changes.push_back(all_defects);
    for (std::size_t k = 0; k < changes.size(); ++k) {
      const TemporaryDirectory directory;
      SimulateOptions o = rod();
      o.preset = preset;
      changes[k](o);
      write_simulation(simulate(o), directory.path());
      const StudyFile study = read_study(directory / "study.toml");
      ASSERT_EQ(study.sites.size(), 4u);
      EXPECT_EQ(study.other, preset == "rod");
      EXPECT_EQ(study.sites[3].scan, o.defects.of_scan() ? "A" : "") << preset << " " << k;
      EXPECT_TRUE(std::filesystem::exists(directory / study.sites[0].data));
      EXPECT_TRUE(h5::Reader(directory / "truth.h5").has("/entry/scan/shifts"));
    }
  }
}

TEST(TwinFiles, PlainTruthHasNoScan) {
  const TemporaryDirectory directory;
  SimulateOptions o = rod();
  o.preset = "elements";
  write_simulation(simulate(o), directory.path());
  EXPECT_FALSE(h5::Reader(directory / "truth.h5").has("/entry/scan"));
}

TEST(TwinFiles, AreSameBytesForAnyNumberOfThreads) {
  const TemporaryDirectory one;
  const TemporaryDirectory three;
  SimulateOptions o = rod();
  all_defects(o);
  o.threads = 1;
  write_simulation(simulate(o), one.path());
  o.threads = 3;
  write_simulation(simulate(o), three.path());
  for (const std::string file : {"xrf.h5", "xrt.h5", "truth.h5", "study.toml"}) {
    EXPECT_EQ(file_content(one / file), file_content(three / file)) << file;
  }
}

}  // namespace
}  // namespace firm
