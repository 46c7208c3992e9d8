// Results of shards: as files, as bytes, and merged.
#include "run/shard/shard_result.h"

#include <gtest/gtest.h>

#include <cmath>

#include "run/shard/merge.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

Variable variable(const std::string& name, std::size_t slot, bool transmission = false) {
  Variable v;
  v.name = name;
  v.slot = slot;
  v.measured = name != "other";
  v.transmission = transmission;
  return v;
}

SiteSummary site(const std::string& name, double residual, double error) {
  SiteSummary s;
  s.name = name;
  s.residual = residual;
  s.discrepancy = residual / 3;
  s.full_scale = 3;
  s.bytes_up = 10;
  s.bytes_down = 20;
  s.error = error;
  s.sigma = 0.25;
  s.noise_source = NoiseSource::kCounts;
  s.noise_scale = 2;
  if (residual > 2) s.residual_alone = 1;
  return s;
}

// --- stages, one after another

class StageResults : public ::testing::Test {
 protected:
  // A stage of two slices and two sites; values differ from stage to stage.
  ShardResult result(std::size_t k, bool converged) {
    const double x = static_cast<double>(k + 1) / 3;
    ShardResult r;
    Summary& s = r.solution.summary;
    s.method = "firm";
    s.rounds = static_cast<int>(10 - k);
    s.exchanges = 7;
    s.local_iterations = 100;
    s.objective = x;
    s.step_norm = std::nextafter(x, 1.0);
    s.lambda_max = 2;
    s.projection_seconds = 1;
    s.seconds = 2;
    s.threads = 3;
    s.kernel = "scalar";
    s.certificate = {x, x, -x, x, x, x, x, {}};
    s.prior = PriorSummary{"tv", x, true, {{4, 3 * x}, {2, x}}, {{"xrf-1", 5 * x}}, "primal-dual"};
    s.termination = {converged ? "kkt" : "rounds", std::to_string(k), converged};
    s.stop.kkt = 1e-3;
    s.sites = {site("xrf-1", 3 * x, 4 * x), site("xrt", x, 3 * x)};
    s.error = 5 * x;
    r.shard = {{0, 1}, {2 * k, 2}, 0};
    r.variables = {variable("xrf-1", 0), variable("xrt", 1, true)};
    r.fingerprints = {"aa", "bb"};
    r.identity = "identity\n";
    r.stop = "stop.kkt = 0.001\n";
    r.history = "{\"round\":0}\n";
    r.solution.images = Block(6, 4);
    r.solution.multiplier = Block(6, 2);
    for (std::size_t j = 0; j < r.solution.images.size(); ++j) {
      r.solution.images.data()[j] = static_cast<float>(100 * k + j);
    }
    for (float& v : r.solution.multiplier.values()) v = static_cast<float>(k);
    return r;
  }

  std::string write(const ShardResult& result, const std::string& name) {
    std::string path = directory_ / (name + ".h5");
    write_result(path, grid_, result);
    return path;
  }

  TemporaryDirectory directory_;
  ImageGrid grid_{2, 3, 1e-4};
};

void expect_same(const ShardResult& out, const ShardResult& in) {
  EXPECT_EQ(out.shard, in.shard);
  EXPECT_EQ(out.identity, in.identity);
  EXPECT_EQ(out.stop, in.stop);
  EXPECT_EQ(out.history, in.history);
  EXPECT_EQ(out.fingerprints, in.fingerprints);
  ASSERT_EQ(out.variables.size(), in.variables.size());
  EXPECT_EQ(out.variables[1].name, in.variables[1].name);
  EXPECT_EQ(out.variables[1].transmission, in.variables[1].transmission);
  EXPECT_EQ(out.variables[1].d, in.variables[1].d);
  // The texts have every number, equal to the last bit.
  RunFacts facts{"study", {}, {"aa", "bb"}, {}, {{in.shard.slices, in.summary(), {"aa", "bb"}}}};
  EXPECT_EQ(reproducible_summary_json(out.summary(), facts),
            reproducible_summary_json(in.summary(), facts));
  EXPECT_EQ(out.summary().seconds, in.summary().seconds);
  EXPECT_EQ(out.summary().projection_seconds, in.summary().projection_seconds);
  EXPECT_EQ(out.summary().threads, in.summary().threads);
  EXPECT_EQ(out.summary().kernel, in.summary().kernel);
  EXPECT_EQ(out.summary().stop.kkt, in.summary().stop.kkt);
  EXPECT_EQ(out.summary().step_norm, in.summary().step_norm);
  EXPECT_EQ(out.converged(), in.converged());
}

TEST_F(StageResults, ComeBackFromFile) {
  const ShardResult in = result(1, false);
  expect_same(read_result(write(in, "one")), in);
}

TEST_F(StageResults, ComeBackFromBytes) {
  ShardResult in = result(1, true);
  in.rounds = ShardRounds(2, {1, 2, 3, 4, 5, 6});
  const std::vector<ShardResult> out = results_from_bytes(to_bytes({in, in}));
  ASSERT_EQ(out.size(), 2u);
  expect_same(out[1], in);
  EXPECT_EQ(out[1].rounds.numbers(), in.rounds.numbers());
  EXPECT_EQ(out[1].solution.images(5, 3), in.solution.images(5, 3));
  EXPECT_EQ(out[1].solution.multiplier(0, 1), in.solution.multiplier(0, 1));
}

TEST_F(StageResults, RejectDamagedFile) {
  const Block images(6, 2);
  write_images(directory_ / "a.h5", grid_, {{"xrt", "attenuation", "1/cm", &images}},
               {"", "{\"identity\": 1}"});
  EXPECT_CONTAINS(error_of([&] { read_result(directory_ / "a.h5"); }),
                  "expected the result of a shard");
}

TEST_F(StageResults, MergeIntoOneSummary) {
  const Summary s = merge_in_turn({result(0, true), result(1, true), result(2, true)});
  EXPECT_EQ(s.rounds, 10);
  EXPECT_EQ(s.exchanges, 21);
  EXPECT_EQ(s.local_iterations, 300);
  EXPECT_DOUBLE_EQ(s.objective, 2);
  EXPECT_DOUBLE_EQ(s.certificate.objective, 2);
  EXPECT_DOUBLE_EQ(s.certificate.min_w, -1);
  EXPECT_EQ(s.seconds, 6);
  EXPECT_EQ(s.sites[1].bytes_down, 60);
  const double norm = std::sqrt(1.0 + 4 + 9) / 3;
  EXPECT_DOUBLE_EQ(s.sites[0].residual, 3 * norm);
  EXPECT_DOUBLE_EQ(s.sites[0].fit().value(), 3 * norm / std::sqrt(3 * 4.0));
  // Only the last stage was compared with the site alone; residuals of the others are 1 and 2.
  EXPECT_DOUBLE_EQ(s.sites[0].residual_alone.value(), std::sqrt(1.0 + 4 + 1));
  EXPECT_FALSE(s.sites[1].residual_alone);
  EXPECT_EQ(s.sites[0].sigma, 0.25);
  EXPECT_EQ(s.sites[0].noise_source, NoiseSource::kCounts);
  EXPECT_DOUBLE_EQ(*s.sites[0].error, 4 * norm);
  EXPECT_DOUBLE_EQ(*s.error, 5 * norm);
  EXPECT_EQ(s.termination.message, "2");
  // ||A^T b|| is 1 in every stage.
  EXPECT_DOUBLE_EQ(s.certificate.primal, norm);
  EXPECT_DOUBLE_EQ(s.certificate.stationarity, norm);
  EXPECT_DOUBLE_EQ(s.certificate.multiplier, norm);
  EXPECT_DOUBLE_EQ(s.certificate.relative, norm / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(s.certificate.gap.value(), 2);
}

TEST_F(StageResults, KeepStrengthOfPriorOnlyIfItIsTheSame) {
  ShardResult same = result(0, true);
  same.shard.slices.first = 2;
  const PriorSummary kept = merge_in_turn({result(0, true), same}).prior.value();
  EXPECT_DOUBLE_EQ(kept.strength, 1.0 / 3);
  EXPECT_EQ(kept.curve.size(), 2u);
  const PriorSummary differing = merge_in_turn({result(0, true), result(1, true)}).prior.value();
  EXPECT_TRUE(std::isnan(differing.strength));
  EXPECT_TRUE(differing.curve.empty());
  EXPECT_EQ(differing.kind, "tv");
}

TEST_F(StageResults, HaveNoGapIfOneStageHasNone) {
  ShardResult without = result(1, true);
  without.solution.summary.certificate.gap.reset();
  EXPECT_FALSE(merge_in_turn({result(0, true), without}).certificate.gap.has_value());
  EXPECT_FALSE(merge_in_turn({without, result(0, true)}).certificate.gap.has_value());
}

// A stage without matter changes nothing.
TEST_F(StageResults, MergeIntoCertificateOfTheWhole) {
  ShardResult one = result(0, true);
  ShardResult two = result(1, true);
  ShardResult empty = result(2, true);
  one.solution.summary.certificate = {1, 0.3, 0, 3e-3, 3e-3 / 5, 12, {}, {}};
  two.solution.summary.certificate = {2, 0.4, 0, 4e-3, 4e-3 / 12, 5, {}, {}};
  empty.solution.summary.certificate = {};
  for (const auto& stages : {std::vector{one, two, empty}, std::vector{empty, one, two}}) {
    const Certificate c = merge_in_turn(stages).certificate;
    EXPECT_DOUBLE_EQ(c.objective, 3);
    EXPECT_DOUBLE_EQ(c.primal, 0.5);
    EXPECT_DOUBLE_EQ(c.stationarity, 5e-3);
    EXPECT_DOUBLE_EQ(c.relative, 5e-3 / 13);
    EXPECT_DOUBLE_EQ(c.multiplier, 13);
  }
}

TEST_F(StageResults, ReportFirstStageThatHasNotConverged) {
  const Summary s = merge_in_turn({result(0, true), result(1, false), result(2, false)});
  EXPECT_EQ(s.termination.message, "1");
  EXPECT_FALSE(s.termination.converged);
  EXPECT_FALSE(merge_in_turn({result(0, true), result(1, false)}).termination.converged);
}

TEST_F(StageResults, GiveSlicesOfWholeVolume) {
  const std::vector<ShardResult> stages = {result(0, true), result(1, true)};
  const std::vector<std::string> files = {write(stages[0], "0"), write(stages[1], "1")};
  const RunImages all = merge_images(files, stages, grid_);
  ASSERT_EQ(all.variables.size(), 2u);
  EXPECT_EQ(all.variables[0].count(), 4u);
  // Slice 3 is the second of stage 1; XRT has columns 2 and 3 of 4.
  EXPECT_EQ(all.variables[1].slice(3).at(2), 100 + 2 * 4 + 3);
  EXPECT_EQ(all.variables[0].slice(1).at(5), 5 * 4 + 1);
  EXPECT_EQ(all.multiplier.slice(2).at(0), 1);
}

// --- shards, side by side

// Sites "a" and "t" with `other`, one pixel, three slices.
Study study_with_other() {
  Study study;
  study.image_rows = study.image_columns = 1;
  study.slices = 3;
  study.other = true;
  study.sites.resize(2);
  study.sites[0].name = "a";
  study.sites[1].name = "t";
  study.sites[1].kind = SiteKind::kXrt;
  return study;
}

// Image of slot k in slice z has the value 100 k + z.
ShardResult side_result(const Shard& shard) {
  ShardResult r;
  r.shard = shard;
  r.variables = shard.has(0) ? std::vector{variable("a", 0)}
                             : std::vector{variable("other", 1), variable("t", 2, true)};
  r.fingerprints = {shard.has(0) ? "fa" : "", shard.has(0) ? "" : "ft"};
  const SliceRange& slices = shard.slices;
  r.solution.images = Block(1, r.variables.size() * slices.count);
  r.solution.multiplier = Block(1, slices.count);
  for (std::size_t z = 0; z < slices.count; ++z) {
    for (std::size_t v = 0; v < r.variables.size(); ++v) {
      r.solution.images(0, v * slices.count + z) =
          static_cast<float>(100 * r.variables[v].slot + slices.first + z);
    }
    r.solution.multiplier(0, z) = static_cast<float>(slices.first + z);
  }
  SiteSummary site;
  site.name = shard.has(0) ? "a" : "t";
  site.residual = slices.first > 0 ? 4 : 3;
  site.discrepancy = 0.1 * static_cast<double>(1 + slices.first);
  site.bytes_up = site.bytes_down = 10;
  site.error = site.residual;
  Summary& s = r.solution.summary;
  s.sites = {site};
  s.rounds = 9;
  s.local_iterations = 5;
  s.error = 1;
  return r;
}

TEST(SideBySideResults, MergeIntoOneShard) {
  std::vector<ShardResult> all;
  for (const Shard& shard : {Shard{{1}, {0, 1}, 0}, Shard{{0}, {1, 2}, 1}, Shard{{1}, {1, 2}, 1},
                             Shard{{0}, {0, 1}, 0}}) {
    all.push_back(side_result(shard));
  }
  const ShardResult merged = merge_side_by_side(study_with_other(), std::move(all));
  ASSERT_EQ(merged.solution.images.columns(), 9u);
  for (std::size_t v = 0; v < 3; ++v) {
    for (std::size_t z = 0; z < 3; ++z) {
      EXPECT_EQ(merged.solution.images(0, v * 3 + z), static_cast<float>(100 * v + z));
    }
  }
  EXPECT_EQ(merged.solution.multiplier(0, 2), 2.0f);
  EXPECT_EQ(merged.solution.names, (std::vector<std::string>{"a", "other", "t"}));
  EXPECT_EQ(merged.shard, (Shard{{0, 1}, {0, 3}, 0}));
  // No process has seen all slices of a site.
  EXPECT_EQ(merged.fingerprints, (std::vector<std::string>{"", ""}));
  const Summary& s = merged.summary();
  EXPECT_EQ(s.rounds, 9);
  EXPECT_EQ(s.local_iterations, 5);
  ASSERT_EQ(s.sites.size(), 2u);
  EXPECT_EQ(s.sites[1].name, "t");
  EXPECT_DOUBLE_EQ(s.sites[1].residual, 5);  // 3 and 4
  EXPECT_DOUBLE_EQ(s.sites[1].discrepancy, 0.2);
  EXPECT_DOUBLE_EQ(s.sites[1].bytes_up, 20);
  EXPECT_DOUBLE_EQ(*s.error, std::sqrt(50.0));
}

TEST(SideBySideResults, HaveMeanWeightOfAllSlices) {
  std::vector<ShardResult> all;
  for (const Shard& shard : {Shard{{0}, {0, 1}, 0}, Shard{{0}, {1, 2}, 1}}) {
    all.push_back(side_result(shard));
    const double lambda = shard.slices.count == 1 ? 4 : 1;
    all.back().solution.summary.prior =
        PriorSummary{"tv", 0.5, false, {}, {{"a", lambda}}, "primal-dual"};
  }
  const PriorSummary prior =
      merge_side_by_side(study_with_other(), std::move(all)).summary().prior.value();
  ASSERT_EQ(prior.weights.size(), 1u);
  EXPECT_EQ(prior.weights[0].name, "a");
  EXPECT_DOUBLE_EQ(prior.weights[0].lambda, 2);
}

TEST(SideBySideResults, KeepFingerprintsOfWholeSites) {
  const ShardResult merged = merge_side_by_side(
      study_with_other(), {side_result({{1}, {0, 3}}), side_result({{0}, {0, 3}})});
  EXPECT_EQ(merged.fingerprints, (std::vector<std::string>{"fa", "ft"}));
}

// --- rounds

RoundRecord record_of(double residual, std::optional<double> error,
                      std::optional<double> violation) {
  RoundRecord r;
  r.residuals = {residual};
  r.noise = {2};
  r.error = error;
  r.violation = violation;
  return r;
}

TEST(ShardRounds, KeepUnknownNumbers) {
  ShardRounds rounds(1);
  rounds.add(record_of(3, 2, {}));
  rounds.add(record_of(1, {}, 0));
  const ShardRounds again(1, rounds.numbers());
  ASSERT_EQ(again.count(), 2u);
  EXPECT_EQ(again.at(0).residuals, std::vector<double>{3});
  EXPECT_EQ(again.at(0).noise, std::vector<double>{2});
  EXPECT_EQ(again.at(0).error, 2);
  EXPECT_FALSE(again.at(0).violation);
  EXPECT_FALSE(again.at(1).error);
  EXPECT_EQ(again.at(1).violation, 0);
}

// Two sites, whose slices are in two groups.
TEST(MergedRound, AddsSitesAndSlices) {
  MergedRound merged;
  for (const std::size_t group : {1u, 0u}) {
    const double x = group == 0 ? 3 : 4;
    merged.add({{1}, {group, 1}, group}, {variable("t", 1)}, record_of(2 * x, 0, x));
    merged.add({{0}, {group, 1}, group}, {variable("a", 0)}, record_of(x, x, x));
  }
  EXPECT_EQ(merged.names(), (std::vector<std::string>{"a", "t"}));
  RoundRecord common;
  common.round = 7;
  const RoundRecord record = merged.record(common);
  EXPECT_EQ(record.round, 7);
  EXPECT_EQ(record.residuals, (std::vector<double>{5, 10}));
  EXPECT_EQ(record.noise, std::vector<double>(2, std::sqrt(8.0)));  // two groups of 2
  EXPECT_EQ(record.error, 5);
  EXPECT_EQ(record.violation, 5);  // which both sites of a group know
}

TEST(MergedRound, LeavesUnknownWhatOneShardDoesNotKnow) {
  MergedRound merged;
  merged.add({{0}, {0, 1}, 0}, {variable("a", 0)}, record_of(1, 3, 2));
  merged.add({{0}, {1, 1}, 1}, {variable("a", 0)}, record_of(1, {}, {}));
  EXPECT_FALSE(merged.record({}).error);
  EXPECT_FALSE(merged.record({}).violation);
}

TEST(MergedRound, DoesNotDependOnOrderOfArrival) {
  MergedRound one;
  MergedRound two;
  const auto add = [](MergedRound& to, std::size_t k) {
    to.add({{k}, {0, 1}, 0}, {variable(std::to_string(k), k)},
           record_of(0.1 * static_cast<double>(k), 1.0 / static_cast<double>(k + 3), 0));
  };
  for (const std::size_t k : {0u, 1u, 2u, 3u, 4u}) add(one, k);
  for (const std::size_t k : {3u, 1u, 4u, 2u, 0u}) add(two, k);
  EXPECT_EQ(*one.record({}).error, *two.record({}).error);
}

}  // namespace
}  // namespace firm
