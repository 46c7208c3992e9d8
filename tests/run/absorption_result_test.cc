// Self-absorption of shards: rounds, texts, and the attenuation that T was made from.
#include <gtest/gtest.h>

#include <thread>

#include "run/absorption_text.h"
#include "run/shard/absorption_merge.h"
#include "run/shard/merge.h"
#include "run/shard/shard_result.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

AbsorptionSummary round_of(const std::string& site, std::vector<double> masses) {
  AbsorptionSummary s;
  s.start = "xrt";
  s.outer_rounds = static_cast<int>(masses.size());
  if (!site.empty()) s.sites = {{site, 12, 6.4, std::move(masses), 4, 1}};
  return s;
}

TEST(AbsorptionText, HasMassesOfRoundAndKeptFractions) {
  AbsorptionSummary s = round_of("iron", {1e-6, 1.234e-6});
  EXPECT_EQ(absorption_round_text(s), "self-absorption, round 2: masses iron 1.23e-06 g");
  add_absorption(round_of("zinc", {2e-6}), s);
  EXPECT_EQ(absorption_round_text(s),
            "self-absorption, round 2: masses iron 1.23e-06 g, zinc 2e-06 g");
  EXPECT_EQ(kept_text(s), "iron 25 %, zinc 25 %");
  AbsorptionSummary xrt = round_of("", {});
  xrt.outer_rounds = 3;
  EXPECT_EQ(absorption_round_text(xrt), "self-absorption, round 3");
}

TEST(AbsorptionMerge, AddsSlicesOfSameSite) {
  AbsorptionSummary all = round_of("iron", {1, 2});
  add_absorption(round_of("iron", {10, 20, 30}), all);
  EXPECT_EQ(all.outer_rounds, 3);
  ASSERT_EQ(all.sites.size(), 1u);
  EXPECT_EQ(all.sites[0].masses, (std::vector<double>{11, 22, 32})) << "the first settled earlier";
  EXPECT_EQ(all.sites[0].kept_fraction(), 0.25);
}

TEST(AbsorptionRounds, ReportsEachRoundOnceInOrderOfShards) {
  std::vector<std::string> lines;
  AbsorptionRounds rounds(
      3, [&](const AbsorptionSummary& s) { lines.push_back(absorption_round_text(s)); });
  rounds.add(1, round_of("zinc", {2}));
  rounds.add(2, round_of("", {}));
  EXPECT_TRUE(lines.empty());
  rounds.add(0, round_of("iron", {1}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "self-absorption, round 1: masses iron 1 g, zinc 2 g");
  {
    std::vector<std::jthread> shards;
    for (std::size_t k = 0; k < 3; ++k) {
      shards.emplace_back([&rounds, k] { rounds.add(k, round_of(std::to_string(k), {1, 2})); });
    }
  }
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], "self-absorption, round 2: masses 0 2 g, 1 2 g, 2 2 g");
}

// One pixel; attenuation of slice z is z + 1 at the energy of the beam and 10 (z + 1) at that of
// the line.
ShardResult result_of(const SliceRange& slices) {
  ShardResult r;
  r.shard = {{0}, slices, slices.first};
  Variable v;
  v.name = "iron";
  v.measured = true;
  r.variables = {v};
  r.fingerprints = {"f"};
  r.solution.images = Block(1, slices.count);
  r.solution.multiplier = Block(1, slices.count);
  AttenuationImages a{"iron", Block(1, slices.count), Block(1, slices.count)};
  for (std::size_t z = 0; z < slices.count; ++z) {
    a.incident(0, z) = static_cast<float>(slices.first + z + 1);
    a.line(0, z) = 10 * a.incident(0, z);
  }
  r.solution.attenuation = {a};
  SiteSummary site;
  site.name = "iron";
  r.solution.summary.sites = {site};
  r.solution.summary.absorption = round_of("iron", {1});
  return r;
}

Study study_of(std::size_t slices) {
  Study study;
  study.image_rows = study.image_columns = 1;
  study.slices = slices;
  study.sites.resize(1);
  study.sites[0].name = "iron";
  return study;
}

TEST(Attenuation, ComesBackFromBytes) {
  const auto out = results_from_bytes(to_bytes({result_of({1, 2})}));
  ASSERT_EQ(out.at(0).solution.attenuation.size(), 1u);
  const AttenuationImages& a = out[0].solution.attenuation[0];
  EXPECT_EQ(a.site, "iron");
  EXPECT_EQ(a.incident(0, 1), 3.0f);
  EXPECT_EQ(a.line(0, 0), 20.0f);
}

TEST(Attenuation, IsMergedSideBySide) {
  const ShardResult merged =
      merge_side_by_side(study_of(3), {result_of({1, 2}), result_of({0, 1})});
  ASSERT_EQ(merged.solution.attenuation.size(), 1u);
  for (std::size_t z = 0; z < 3; ++z) {
    EXPECT_EQ(merged.solution.attenuation[0].incident(0, z), static_cast<float>(z + 1));
    EXPECT_EQ(merged.solution.attenuation[0].line(0, z), static_cast<float>(10 * (z + 1)));
  }
}

TEST(Attenuation, OfStagesIsReadFromTheirFiles) {
  const TemporaryDirectory directory;
  const ImageGrid grid{1, 1, 1e-4};
  std::vector<ShardResult> stages = {result_of({0, 1}), result_of({1, 2})};
  const std::vector<std::string> files = {directory / "0.h5", directory / "1.h5"};
  for (std::size_t k = 0; k < 2; ++k) {
    write_result(files[k], grid, stages[k]);
    stages[k] = read_result(files[k]);
    EXPECT_TRUE(stages[k].solution.attenuation.empty()) << "stays in the file";
    EXPECT_EQ(image_names(files[k]), std::vector<std::string>{"iron"}) << "is no site";
  }
  const RunImages all = merge_images(files, stages, grid);
  ASSERT_EQ(all.attenuation.size(), 2u);
  EXPECT_EQ(all.attenuation[1].name, "self-absorption/iron/line");
  EXPECT_EQ(all.attenuation[1].units, "1/cm");
  EXPECT_EQ(all.attenuation[1].images.slice(2).at(0), 30.0f);
}

}  // namespace
}  // namespace firm
