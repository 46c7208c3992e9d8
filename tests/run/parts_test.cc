// Parts of a run: how they are spread, how they meet, and how their results become one.
#include "run/shard/parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/local_exchange.h"
#include "firm/error.h"
#include "run/memory/needs.h"
#include "run/memory/part_needs.h"
#include "run/shard/part_result.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

TEST(Parts, AreSitesDealtOutToFewerProcesses) {
  const auto parts = spread_parts(5, 3, 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0], (std::vector<Part>{{0, 0, 0, 3}, {2, 0, 0, 3}, {4, 0, 0, 3}}));
  EXPECT_EQ(parts[1], (std::vector<Part>{{1, 0, 0, 3}, {3, 0, 0, 3}}));
}

TEST(Parts, AreSlicesOfSitesWithMoreProcesses) {
  const auto parts = spread_parts(2, 7, 6);
  ASSERT_EQ(parts.size(), 6u);
  std::vector<std::size_t> covered(2 * 7);
  for (const auto& of_process : parts) {
    ASSERT_EQ(of_process.size(), 1u);
    const Part& part = of_process[0];
    EXPECT_GE(part.slices, 2u);
    for (std::size_t z = 0; z < part.slices; ++z) ++covered[part.site * 7 + part.first + z];
  }
  EXPECT_EQ(covered, std::vector<std::size_t>(14, 1));
  EXPECT_EQ(parts[0][0].group, parts[1][0].group);
  EXPECT_NE(parts[1][0].group, parts[2][0].group);
}

TEST(Parts, NeedANumberOfProcessesThatFits) {
  for (const std::size_t processes : {5, 16}) {
    try {
      spread_parts(4, 3, processes);
      ADD_FAILURE() << processes;
    } catch (const Error& error) {
      EXPECT_CONTAINS(std::string(error.what()), "1 to 4, or a multiple of 4 up to 12");
      EXPECT_EQ(error.kind(), Error::Kind::kUsage);
    }
  }
}

// --- results

Study two_sites(std::size_t slices) {
  Study study;
  study.image_rows = study.image_columns = 1;
  study.slices = slices;
  study.other = true;
  study.sites.resize(2);
  study.sites[0].name = "a";
  study.sites[1].name = "t";
  return study;
}

PartResult result(const Part& part, const std::vector<std::string>& names, std::size_t slot) {
  PartResult r;
  r.part = part;
  r.fingerprint = "f" + names.back();
  r.solution.images = Block(1, names.size() * part.slices);
  r.solution.multiplier = Block(1, part.slices);
  for (std::size_t v = 0; v < names.size(); ++v) {
    Variable variable;
    variable.name = names[v];
    variable.slot = slot + v;
    r.variables.push_back(variable);
    for (std::size_t z = 0; z < part.slices; ++z) {
      r.solution.images(0, v * part.slices + z) =
          static_cast<float>(100 * (slot + v) + part.first + z);
    }
  }
  for (std::size_t z = 0; z < part.slices; ++z) {
    r.solution.multiplier(0, z) = static_cast<float>(part.first + z);
  }
  SiteSummary site;
  site.name = names.back();
  site.residual = 3 + static_cast<double>(part.first > 0);
  site.discrepancy = 0.1 * static_cast<double>(1 + part.first);
  site.bytes_up = site.bytes_down = 10;
  site.error = site.residual;
  r.solution.summary.sites.push_back(site);
  r.solution.summary.local_iterations = 5;
  return r;
}

TEST(PartResults, BecomeOne) {
  const Study study = two_sites(3);
  Summary common;
  common.rounds = 9;
  common.error = 1;
  std::vector<PartResult> all;
  for (const Part& part :
       {Part{1, 0, 0, 1}, Part{0, 1, 1, 2}, Part{1, 1, 1, 2}, Part{0, 0, 0, 1}}) {
    const std::vector<std::string> names =
        part.site == 0 ? std::vector<std::string>{"a"} : std::vector<std::string>{"other", "t"};
    // Through bytes, as between processes.
    for (PartResult& r : results_from(to_bytes({result(part, names, part.site)}))) {
      all.push_back(std::move(r));
    }
  }
  const JoinedResult joined = join(study, common, all);
  ASSERT_EQ(joined.solution.images.columns(), 9u);
  for (std::size_t v = 0; v < 3; ++v) {
    for (std::size_t z = 0; z < 3; ++z) {
      EXPECT_EQ(joined.solution.images(0, v * 3 + z), static_cast<float>(100 * v + z));
    }
  }
  EXPECT_EQ(joined.solution.multiplier(0, 2), 2.0f);
  ASSERT_EQ(joined.variables.size(), 3u);
  EXPECT_EQ(joined.variables[1].name, "other");
  // No process has seen all slices of a site.
  EXPECT_EQ(joined.fingerprints, (std::vector<std::string>{"", ""}));
  const Summary& s = joined.solution.summary;
  EXPECT_EQ(s.rounds, 9);
  EXPECT_EQ(s.local_iterations, 5);
  ASSERT_EQ(s.sites.size(), 2u);
  EXPECT_EQ(s.sites[1].name, "t");
  EXPECT_DOUBLE_EQ(s.sites[1].residual, 5);  // 3 and 4
  EXPECT_DOUBLE_EQ(s.sites[1].discrepancy, 0.2);
  EXPECT_DOUBLE_EQ(s.sites[1].bytes_up, 20);
  EXPECT_DOUBLE_EQ(*s.error, std::sqrt(50.0));
}

// --- rounds

RoundRecord round_of(double residual, std::optional<double> error,
                     std::optional<double> violation) {
  RoundRecord r;
  r.residuals = {residual};
  r.error = error;
  r.violation = violation;
  return r;
}

std::vector<Variable> one_variable(const std::string& name, std::size_t slot) {
  Variable v;
  v.name = name;
  v.slot = slot;
  return {v};
}

TEST(PartRounds, AreKeptWithWhatIsNotKnown) {
  PartRounds rounds(1);
  rounds.add(round_of(3, 2, {}));
  rounds.add(round_of(1, {}, 0));
  const PartRounds again(1, rounds.numbers());
  ASSERT_EQ(again.count(), 2u);
  EXPECT_EQ(again.at(0).residuals, std::vector<double>{3});
  EXPECT_EQ(again.at(0).error, 2);
  EXPECT_FALSE(again.at(0).violation);
  EXPECT_FALSE(again.at(1).error);
  EXPECT_EQ(again.at(1).violation, 0);
}

// Two sites, whose slices are in two groups.
TEST(PartRounds, BecomeTheRoundOfAllSitesAndSlices) {
  JoinedRound joined;
  for (const std::size_t group : {1u, 0u}) {
    const double of_group = group == 0 ? 3 : 4;
    joined.add({1, group, group, 1}, one_variable("t", 1), round_of(2 * of_group, 0, of_group));
    joined.add({0, group, group, 1}, one_variable("a", 0), round_of(of_group, of_group, of_group));
  }
  EXPECT_EQ(joined.names(), (std::vector<std::string>{"a", "t"}));
  RoundRecord common;
  common.round = 7;
  const RoundRecord record = joined.record(common);
  EXPECT_EQ(record.round, 7);
  EXPECT_EQ(record.residuals, (std::vector<double>{5, 10}));
  EXPECT_EQ(record.error, 5);
  EXPECT_EQ(record.violation, 5);  // which both sites of a group know
  joined.add({1, 2, 2, 1}, one_variable("t", 1), round_of(0, {}, {}));
  EXPECT_FALSE(joined.record(common).error);
  EXPECT_EQ(joined.record(common).violation, 5);
}

// --- memory

TEST(PartNeeds, AreThoseOfWhatAProcessHas) {
  Study study = two_sites(8);
  StudyFile file;
  file.rows = file.columns = 1024;
  file.slices = 8;
  file.sites.resize(2);
  for (Site& site : study.sites) {
    site.geometry.angles.resize(100);
    site.geometry.beamlets = 1024;
  }
  const auto needed = [&](const std::vector<Part>& parts, bool first = false) {
    return memory_for_parts({}, file, study, parts, first) - kProgramMemory;
  };
  const std::uint64_t site = needed({{0, 0, 0, 8}});
  EXPECT_EQ(needed({{0, 0, 0, 8}, {0, 0, 0, 8}}), 2 * site);
  EXPECT_EQ(needed({{0, 1, 4, 4}}), site / 2);
  // All slices are read, however few are kept; and the first one gets all images.
  EXPECT_EQ(needed({{0, 0, 0, 0}}), 3 * site_size(file, study.sites[0]).sinogram_bytes);
  EXPECT_GT(needed({{0, 0, 0, 1}}, true), 3 * site_size(file, study.sites[0]).image_bytes);
  EXPECT_NO_THROW(require_memory(10, 10, study, {}));
  EXPECT_THROW(require_memory(11, 10, study, {}), Error);
}

// --- meetings

class AMeeting : public ::testing::Test {
 protected:
  static constexpr std::size_t kThreads = 3;

  template <typename Work>
  void at_every_part(const Work& work) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { work(i); });
  }

  OneProcess alone_;
  int asked_ = 0;
  LocalAllreduce allreduce_{alone_, {kThreads, kThreads, 1}, [this] { return ++asked_ == 5; }};
};

TEST_F(AMeeting, AddsUpAgainAndAgain) {
  std::vector<std::vector<float>> last(kThreads);
  at_every_part([&](std::size_t i) {
    LocalExchange exchange(allreduce_);
    FixedPointCollective collective(exchange);
    int checkpoints = 0;
    for (int k = 0; k < 2000; ++k) {
      std::vector<float> values(5, static_cast<float>(i + 1) * static_cast<float>(k % 7));
      double scalar = 1e-12 * k;
      collective.sum(values, {&scalar, 1});
      ASSERT_NEAR(values[4], 6.0f * static_cast<float>(k % 7), 1e-4f);
      ASSERT_DOUBLE_EQ(scalar, 3e-12 * k);
      if (exchange.checkpoint_asked()) ++checkpoints;
      last[i] = values;
    }
    EXPECT_EQ(checkpoints, 1);  // at all parts, when the first process wants it
  });
  EXPECT_EQ(last[0], last[1]);
  EXPECT_EQ(last[0], last[2]);
}

TEST_F(AMeeting, EndsForAllWhenOneFails) {
  at_every_part([&](std::size_t i) {
    LocalExchange exchange(allreduce_);
    FixedPointCollective collective(exchange);
    std::vector<float> values(5, 1.0f);
    collective.sum(values, {});
    if (i == 1) {
      allreduce_.leave();
    } else {
      EXPECT_THROW(collective.sum(values, {}), PeerFailed);
    }
  });
}

}  // namespace
}  // namespace firm
