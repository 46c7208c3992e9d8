// The public calls: load_study, reconstruct, Solution, ScanFile.
#include <gtest/gtest.h>

#include <cstring>

#include "firm/firm.h"
#include "sim/simulate.h"
#include "support/small_study.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

class LibraryTest : public ::testing::Test {
 protected:
  LibraryTest() {
    SimulateOptions options;
    options.size = 20;
    options.angles = 6;
    options.slices = 2;
    options.noise = 0.01;
    write_simulation(simulate(options), directory_.path());
  }

  TemporaryDirectory directory_;
};

TEST_F(LibraryTest, ReconstructsStudyFile) {
  const Study study = load_study(directory_ / "study.toml");
  ASSERT_EQ(study.sites.size(), 4u);
  ASSERT_EQ(study.data.size(), 4u);
  int rounds = 0;
  Observer observer;
  observer.on_round = [&](const RoundRecord& r, int) { rounds = r.round; };
  const Solution s = reconstruct(study, load_options(directory_ / "study.toml"), observer);
  EXPECT_TRUE(s.summary.termination.converged);
  EXPECT_EQ(rounds, s.summary.rounds);
  EXPECT_EQ(s.names, (std::vector<std::string>{"xrf-1", "xrf-2", "xrf-3", "xrt"}));
  EXPECT_EQ(s.image("xrt").rows(), 400u);
  EXPECT_EQ(s.image("xrt").columns(), 2u);
  EXPECT_EQ(s.image("xrt")(7, 1), s.images(7, 3 * 2 + 1));
  EXPECT_CONTAINS(error_of([&] { s.image("Fe"); }),
                  "image: expected one of xrf-1, xrf-2, xrf-3, xrt, found 'Fe'");
}

TEST_F(LibraryTest, GivesSameBytesAgain) {
  const Study study = load_study(directory_ / "study.toml");
  SolveOptions one;
  one.threads = 1;
  SolveOptions two;
  two.threads = 2;
  const Block a = reconstruct(study, one).images;
  const Block b = reconstruct(study, two).images;
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(float)));
}

TEST_F(LibraryTest, StopsWhenAsked) {
  const Study study = load_study(directory_ / "study.toml");
  SolveOptions options;
  options.ds.local_steps = 1;
  Observer observer;
  observer.interrupted = [] { return true; };
  const Solution s = reconstruct(study, options, observer);
  EXPECT_EQ(s.summary.termination.reason, "interrupted");
  EXPECT_FALSE(s.summary.termination.converged);
}

TEST_F(LibraryTest, ReadsScan) {
  const ScanFile scan(directory_ / "xrf-1.h5");
  EXPECT_EQ(scan.format(), "Data Exchange (HDF5)");
  EXPECT_EQ(scan.angles().size(), 6u);
  EXPECT_EQ(scan.slices(), 2u);
  const Study study = load_study(directory_ / "study.toml");
  const Block values = scan.values();
  ASSERT_EQ(values.rows(), study.data[0].values.rows());
  EXPECT_EQ(values(17, 1), study.data[0].values(17, 1));
  EXPECT_EQ(scan.values(1, 1)(17, 0), values(17, 1));
  EXPECT_CONTAINS(error_of([&] { scan.values(1, 2); }), "slices: expected some of 0 to 1");
}

TEST(LibraryArrays, AreAddedInAnyOrder) {
  const SmallStudy small = make_small_study({.sites = 3, .own_geometry = true});
  Study study;
  study.add(small.study.sites[2], small.data[2].values);  // XRT
  study.add(small.study.sites[0], small.data[0].values);
  study.add(small.study.sites[1], small.data[1].values);
  EXPECT_EQ(study.sites.back().kind, SiteKind::kXrt);
  EXPECT_EQ(study.slices, 1u);
  Study whole = small.study;
  whole.data = small.data;
  const Block a = reconstruct(study).images;
  const Block b = reconstruct(whole).images;
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(float)));
}

TEST(LibraryArrays, AreChecked) {
  const SmallStudy small = make_small_study({.sites = 2});
  Study study = small.study;
  study.data = {small.data[0]};
  EXPECT_CONTAINS(error_of([&] { reconstruct(study); }),
                  "data: expected the measurements of all sites, found none of site xrt");
  study.data = small.data;
  study.data[1].values = Block(3, 1);
  EXPECT_CONTAINS(error_of([&] { reconstruct(study); }), "site xrt: data: expected");
  SolveOptions options;
  options.method = "gradient";
  study.data = small.data;
  EXPECT_CONTAINS(error_of([&] { reconstruct(study, options); }), "found 'gradient'");
}

}  // namespace
}  // namespace firm
