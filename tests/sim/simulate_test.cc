#include "sim/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "firm/error.h"
#include "firm/projector.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "sim/noise.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

const std::vector<std::string> kFiles = {"xrf-1.h5", "xrf-2.h5", "xrf-3.h5",
                                         "xrt.h5",   "truth.h5", "study.toml"};
const std::vector<std::string> kSites = {"xrf-1", "xrf-2", "xrf-3", "xrt"};

SimulateOptions small() {
  SimulateOptions o;
  o.size = 32;
  o.angles = 7;
  return o;
}

void simulate_into(const std::string& directory, const SimulateOptions& options) {
  write_simulation(simulate(options), directory);
}

double norm(const Block& block) {
  double sum = 0;
  for (const float v : block.values()) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum);
}

Block difference(const Block& a, const Block& b) {
  Block d = a;
  for (std::size_t k = 0; k < d.size(); ++k) d.data()[k] -= b.data()[k];
  return d;
}

TEST(Simulate, WritesOnlyItsFiles) {
  const TemporaryDirectory directory;
  const std::string out = directory / "deep/study";
  const std::vector<std::string> paths = write_simulation(simulate(small()), out);
  ASSERT_EQ(paths.size(), kFiles.size());
  for (std::size_t k = 0; k < paths.size(); ++k) {
    EXPECT_EQ(paths[k], out + "/" + kFiles[k]);
    EXPECT_GT(std::filesystem::file_size(paths[k]), 0u);
  }
  const std::filesystem::directory_iterator entries(out);
  EXPECT_EQ(std::distance(entries, {}), static_cast<std::ptrdiff_t>(kFiles.size()));
}

TEST(Simulate, DataIsProjectionOfTruth) {
  for (const std::string preset : {"paper", "elements", "shapes", "smooth", "geode"}) {
    const TemporaryDirectory directory;
    SimulateOptions o = small();
    o.preset = preset;
    o.slices = 3;
    o.pixel_size = 2e-4;
    simulate_into(directory.path(), o);
    const auto reference = make_projector(paper_geometry(32, 7, 2e-4), {"reference", 1, 3});
    for (const std::string& site : kSites) {
      const Block truth = read_images(directory / "truth.h5", site);
      const Acquisition a = read_acquisition(directory / (site + ".h5"));
      ASSERT_EQ(a.data.columns(), 3u);
      EXPECT_DOUBLE_EQ(a.spacing, 2e-4);
      EXPECT_EQ(a.rotation_axis, a.beamlets / 2.0);
      EXPECT_NEAR(a.theta[3], 3 * 180.0 / 7, 1e-12);
      Block expected(a.data.rows(), 3);
      reference->forward(truth, expected);
      EXPECT_GT(norm(expected), 0);
      EXPECT_LT(norm(difference(a.data, expected)), 1e-5 * norm(expected)) << preset << " " << site;
    }
  }
}

TEST(Simulate, MineralsAreSixElementsThatAddUpToXrt) {
  SimulateOptions o = small();
  o.preset = "minerals";
  o.slices = 2;
  const Simulation made = simulate(o);
  ASSERT_EQ(made.sites.size(), 7u);
  EXPECT_EQ(made.sites[5].title, "Zn");
  const SimulatedSite& xrt = made.sites.back();
  ASSERT_TRUE(xrt.is_xrt());
  Block sum(xrt.truth.rows(), xrt.truth.columns());
  for (const SimulatedSite& site : made.sites) {
    EXPECT_GT(norm(site.truth), 0) << site.title;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum.data()[k] += static_cast<float>(site.coefficient) * site.truth.data()[k];
    }
  }
  EXPECT_LT(norm(difference(sum, xrt.truth)), 1e-5 * norm(xrt.truth));
}

TEST(Simulate, GivesSameBytesForAnyNumberOfThreads) {
  const TemporaryDirectory one;
  const TemporaryDirectory three;
  SimulateOptions o = small();
  o.noise = 0.05;
  o.counts = 1e4;
  o.slices = 2;
  o.threads = 1;
  simulate_into(one.path(), o);
  o.threads = 3;
  simulate_into(three.path(), o);
  for (const std::string& file : kFiles) {
    EXPECT_EQ(file_content(one / file), file_content(three / file)) << file;
  }
}

TEST(Simulate, NoiseDependsOnSeedAndSite) {
  SimulateOptions o = small();
  const Simulation clean = simulate(o);
  o.noise = 0.01;
  const Simulation first = simulate(o);
  o.seed = 2;
  const Simulation second = simulate(o);
  std::vector<Block> noise;
  for (std::size_t i = 0; i < kSites.size(); ++i) {
    noise.push_back(difference(first.sites[i].data, clean.sites[i].data));
    const Block other = difference(second.sites[i].data, clean.sites[i].data);
    EXPECT_GT(norm(difference(noise[i], other)), norm(other));
    const double largest =
        *std::max_element(clean.sites[i].data.values().begin(), clean.sites[i].data.values().end());
    const double rays = static_cast<double>(clean.geometry.rays());
    EXPECT_NEAR(norm(noise[i]), 0.01 * largest * std::sqrt(rays),
                0.01 * largest * std::sqrt(rays) * 0.15);
  }
  double product = 0;
  for (std::size_t k = 0; k < noise[0].size(); ++k) {
    product += static_cast<double>(noise[0].data()[k]) * static_cast<double>(noise[1].data()[k]);
  }
  const double cosine = product / norm(noise[0]) / norm(noise[1]);
  EXPECT_LT(std::abs(cosine), 5 / std::sqrt(static_cast<double>(noise[0].size())));
}

TEST(Simulate, CountsInvertToLogarithm) {
  const TemporaryDirectory directory;
  SimulateOptions o = small();
  o.preset = "elements";
  o.pixel_size = 10e-4;
  const Simulation clean = simulate(o);
  o.counts = 1e6;
  simulate_into(directory.path(), o);
  const Acquisition a = read_acquisition(directory / "xrt.h5");
  EXPECT_EQ(a.units, "counts");
  const Absorption back =
      absorption({a.data, a.white, a.dark}, static_cast<std::size_t>(a.beamlets));
  const Block& truth = clean.sites.back().data;
  EXPECT_GT(*std::max_element(truth.values().begin(), truth.values().end()), 0.3f);
  EXPECT_LT(norm(difference(back.b, truth)), 0.02 * norm(truth));
  EXPECT_CONTAINS(file_content(directory / "study.toml"), "minus_log = true");
  EXPECT_EQ(read_acquisition(directory / "xrf-1.h5").white.rows(), 0u);
}

TEST(Simulate, StudyHasNoiseForStopRule) {
  const TemporaryDirectory directory;
  SimulateOptions o = small();
  simulate_into(directory.path(), o);
  EXPECT_EQ(file_content(directory / "study.toml").find("discrepancy"), std::string::npos);
  EXPECT_CONTAINS(file_content(directory / "study.toml"), "minus_log = false");
  o.noise = 0.05;
  simulate_into(directory.path(), o);
  EXPECT_CONTAINS(file_content(directory / "study.toml"), "discrepancy = 0.05");
}

TEST(Simulate, KeepsOtherFiles) {
  const TemporaryDirectory directory;
  write_text_file(directory / "notes.txt", "mine");
  write_text_file(directory / "xrt.h5", "to be replaced");
  simulate_into(directory.path(), small());
  EXPECT_EQ(file_content(directory / "notes.txt"), "mine");
  EXPECT_EQ(read_acquisition(directory / "xrt.h5").theta.size(), 7u);
}

TEST(Simulate, RejectsFileAsDirectory) {
  const TemporaryDirectory directory;
  write_text_file(directory / "file", "");
  const Simulation s = simulate(small());
  EXPECT_CONTAINS(error_of([&] { write_simulation(s, directory / "file"); }), "a directory");
}

TEST(Simulate, NamesWrongOption) {
  const auto refuse = [](const std::string& option, auto change) {
    SimulateOptions o = small();
    change(o);
    const std::string text = error_of([&] { simulate(o); });
    EXPECT_CONTAINS(text, "simulate: " + option + ": expected ");
    EXPECT_CONTAINS(text, ", found ");
  };
  refuse("preset", [](SimulateOptions& o) { o.preset = "papers"; });
  refuse("size", [](SimulateOptions& o) { o.size = 3; });
  refuse("size", [](SimulateOptions& o) { o.size = -250; });
  refuse("angles", [](SimulateOptions& o) { o.angles = 0; });
  refuse("slices", [](SimulateOptions& o) { o.slices = 0; });
  refuse("noise", [](SimulateOptions& o) { o.noise = -0.1; });
  refuse("noise", [](SimulateOptions& o) { o.noise = NAN; });
  refuse("pixel size", [](SimulateOptions& o) { o.pixel_size = 0; });
  refuse("counts", [](SimulateOptions& o) { o.counts = 1e12; });
  refuse("counts", [](SimulateOptions& o) { o.counts = -5; });
  refuse("size, angles, slices", [](SimulateOptions& o) {
    o.size = 16384;
    o.slices = 100000;
  });
}

}  // namespace
}  // namespace firm
