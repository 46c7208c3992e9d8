// Which shards a run consists of, and the memory it needs.
#include "run/shard/shard_plan.h"

#include <gtest/gtest.h>

#include "firm/error.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

Study study_of(std::size_t sites, std::size_t slices) {
  Study study;
  study.slices = slices;
  study.sites.resize(sites);
  study.sites.back().kind = SiteKind::kXrt;
  return study;
}

TEST(CutSlices, MakesRangesThatDifferByOneSliceAtMost) {
  EXPECT_EQ(cut_slices(5, 1), (std::vector<SliceRange>{{0, 5}}));
  EXPECT_EQ(cut_slices(5, 3), (std::vector<SliceRange>{{0, 1}, {1, 2}, {3, 2}}));
  EXPECT_EQ(cut_slices(2, 7), (std::vector<SliceRange>{{0, 1}, {1, 1}}));
}

// 1000 bytes and 100 for each slice.
class PlanInTurn : public ::testing::Test {
 protected:
  ShardPlan plan(std::optional<std::uint64_t> allowed, bool fixed = false) {
    return plan_in_turn({1000, 100}, study_of(3, 10), options_, fixed, {allowed, available_});
  }

  SolveOptions options_;
  std::uint64_t available_ = 5000;
};

TEST_F(PlanInTurn, TakesFewestStagesThatFit) {
  EXPECT_EQ(plan({}).stages.size(), 1u);
  EXPECT_EQ(plan({}).needed, 2000u);
  EXPECT_EQ(plan(2000).stages.size(), 1u);
  EXPECT_EQ(plan(1999).stages.size(), 2u);
  EXPECT_EQ(plan(1999).needed, 1500u);
  EXPECT_EQ(plan(1499).stages.size(), 3u);
  EXPECT_EQ(plan(1100).stages.size(), 10u);
  EXPECT_EQ(plan(1199).needed, 1100u);
}

TEST_F(PlanInTurn, RefusesLimitBelowAlignment) {
  MemoryEstimate estimate{1000, 100};
  estimate.aligning = 1800;
  const auto plan_with = [&](std::uint64_t allowed) {
    return plan_in_turn(estimate, study_of(3, 10), options_, false, {allowed, available_});
  };
  EXPECT_EQ(plan_with(1800).stages.size(), 2u);
  EXPECT_EQ(plan_with(1800).needed, 1800u);
  EXPECT_CONTAINS(error_of([&] { plan_with(1799); }),
                  "--max-memory: expected at least 0 MiB to align the scans (--refine); or run "
                  "firm align where there is more");
}

TEST_F(PlanInTurn, HostsAllSitesInEveryStage) {
  const ShardPlan two = plan(1999);
  for (const Stage& stage : two.stages) {
    ASSERT_EQ(stage.of_process.size(), 1u);
    ASSERT_EQ(stage.of_process[0].size(), 1u);
    EXPECT_EQ(stage.of_process[0][0].sites, (std::vector<std::size_t>{0, 1, 2}));
  }
  EXPECT_EQ(two.stages[1].of_process[0][0].slices, (SliceRange{5, 5}));
}

TEST_F(PlanInTurn, HasNoFewerStagesThanOptionsSay) {
  options_.chunks = 4;
  EXPECT_EQ(plan({}).stages.size(), 4u);
  EXPECT_EQ(plan(2000).stages.size(), 4u);
  EXPECT_EQ(plan(1100).stages.size(), 10u);
}

TEST_F(PlanInTurn, KeepsStagesOfResumedRun) {
  options_.chunks = 2;
  EXPECT_EQ(plan(1500, true).stages.size(), 2u);
  EXPECT_CONTAINS(error_of([&] { plan(1499, true); }), "a run that is resumed keeps its chunks");
}

TEST_F(PlanInTurn, NamesMemoryNeededAndFound) {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  const auto error = [&](std::optional<std::uint64_t> allowed, std::uint64_t available) {
    return error_of([&] {
      plan_in_turn({gib, gib}, study_of(2, 10), options_, false, {allowed, available});
    });
  };
  EXPECT_CONTAINS(error(gib * 3 / 2, 100 * gib),
                  "--max-memory: expected at least 2.0 GiB for 1 slice by firm-ds, found 1.5 GiB");
  EXPECT_CONTAINS(error({}, 4 * gib), "memory: expected about 11.0 GiB for 10 slices by firm-ds");
  EXPECT_CONTAINS(error({}, 4 * gib), "found 4.0 GiB available; --max-memory 3865MB");
  // The memory allowed may be more than there is.
  EXPECT_CONTAINS(error(8 * gib, 4 * gib), "found 4.0 GiB available");
}

TEST(PlanSideBySide, DealsOutSites) {
  const auto of_process = plan_side_by_side(5, 3, 2).stages.at(0).of_process;
  ASSERT_EQ(of_process.size(), 2u);
  EXPECT_EQ(of_process[0], (std::vector<Shard>{{{0}, {0, 3}}, {{2}, {0, 3}}, {{4}, {0, 3}}}));
  EXPECT_EQ(of_process[1], (std::vector<Shard>{{{1}, {0, 3}}, {{3}, {0, 3}}}));
}

TEST(PlanSideBySide, CutsSlicesForMoreProcessesThanSites) {
  const auto of_process = plan_side_by_side(2, 7, 6).stages.at(0).of_process;
  ASSERT_EQ(of_process.size(), 6u);
  EXPECT_EQ(of_process[0], (std::vector<Shard>{{{0}, {0, 2}, 0}}));
  EXPECT_EQ(of_process[1], (std::vector<Shard>{{{1}, {0, 2}, 0}}));
  EXPECT_EQ(of_process[4], (std::vector<Shard>{{{0}, {4, 3}, 2}}));
  EXPECT_EQ(of_process[5], (std::vector<Shard>{{{1}, {4, 3}, 2}}));
}

TEST(PlanSideBySide, RejectsOtherNumbersOfProcesses) {
  for (const std::size_t processes : {5u, 6u, 16u}) {
    EXPECT_CONTAINS(error_of([&] { plan_side_by_side(4, 3, processes); }),
                    "1 to 4, or a multiple of 4 up to 12: 4 sites, 3 slices");
  }
}

TEST(ShardName, NamesSiteAndFirstSlice) {
  Study study = study_of(2, 8);
  study.sites[1].name = "xrt";
  EXPECT_EQ(shard_name(study, {{1}, {0, 8}}), "xrt");
  EXPECT_EQ(shard_name(study, {{1}, {4, 4}, 1}), "xrt-slices-4");
}

// --- memory

Study large_study() {
  Study study = study_of(4, 1);
  study.image_rows = study.image_columns = 512;
  for (Site& site : study.sites) {
    site.geometry.angles.resize(180);
    site.geometry.beamlets = 726;
  }
  return study;
}

TEST(MemoryEstimate, GrowsWithStudyAndSlices) {
  const Study study = large_study();
  const std::uint64_t image = 4 * sizeof(float) * 512 * 512;
  for (const std::string& method : method_names()) {
    SolveOptions options;
    options.method = method;
    const auto per_slice = [&](const Study& of, bool truth) {
      return estimate_memory(options, of, {.truth = truth}).per_slice;
    };
    EXPECT_GT(per_slice(study, true), 5 * image) << method;
    EXPECT_EQ(per_slice(study, true) - per_slice(study, false), image) << method;
    Study apart = study;
    apart.sites[1].geometry.rotation_axis = 300;
    EXPECT_GT(per_slice(apart, true), per_slice(study, true)) << method;
    apart.other = true;
    EXPECT_GT(per_slice(apart, true), per_slice(study, true) + 5 * image / 4) << method;
  }
}

// After a joint run each site may be fitted alone, as by pgd.
TEST(MemoryEstimate, CoversComparisonWithSitesAlone) {
  const Study study = large_study();
  SolveOptions alone;
  alone.method = "pgd";
  const std::uint64_t xrt = sizeof(float) * study.xrt().geometry.rays();
  for (const char* method : {"firm-ds", "firm", "firm+", "fedpgd"}) {
    SolveOptions joint;
    joint.method = method;
    joint.stop.kkt = 1e-4;
    for (const Hosted& hosted : {Hosted{}, Hosted{.sites = {0}}, Hosted{.sites = {3}}}) {
      EXPECT_GE(estimate_memory(joint, study, hosted).per_slice,
                estimate_memory(alone, study, hosted).per_slice + xrt)
          << method << " " << hosted.sites.size();
    }
  }
}

// Projectors for one or two columns have scratch of another kind, which may be larger.
TEST(MemoryEstimate, IsNotSmallerForMoreSlices) {
  for (const int size : {24, 64, 200}) {
    Study study = study_of(2, 40);
    study.image_rows = study.image_columns = size;
    for (Site& site : study.sites) {
      site.geometry = {.image_rows = size,
                       .image_columns = size,
                       .pixel_size = 1,
                       .angles = {0, 1, 2},
                       .beamlets = size,
                       .spacing = 1,
                       .rotation_axis = size / 2.0,
                       .shifts = {}};
    }
    const MemoryEstimate estimate = estimate_memory({}, study);
    for (std::size_t slices = 1; slices < 40; ++slices) {
      ASSERT_LE(estimate.bytes(slices), estimate.bytes(slices + 1)) << size << " " << slices;
    }
  }
}

// Measured for one site of 512^2 pixels, 180 angles, 16 slices: at most 325 MiB resident for
// firm-ds, 465 MiB for fedpgd, and 52 MiB on disk at the end.
TEST(MemoryEstimate, CoversOneSiteOfFederation) {
  Study study = large_study();
  study.slices = 16;
  // A site knows no geometry but its own.
  for (std::size_t i = 1; i < study.sites.size(); ++i) study.sites[i].geometry = {};
  const Hosted hosted{.sites = {0}, .fixed_point = true, .keeps_data = true};
  for (const std::string& method : method_names()) {
    SolveOptions options;
    options.method = method;
    const std::uint64_t bytes = estimate_memory(options, study, hosted).bytes(16);
    EXPECT_GT(bytes, std::uint64_t{240} << 20) << method;
    EXPECT_LT(bytes, std::uint64_t{900} << 20) << method;
    const std::uint64_t measured = method == "firm-ds" ? 325 : method == "fedpgd" ? 465 : 0;
    EXPECT_GT(bytes, measured << 20) << method;
    EXPECT_GT(estimate_disk(options, study, 0), std::uint64_t{52} << 20) << method;
  }
}

// Measured for a rod of 512^2 pixels, 36 angles, 731 beamlets and four sites: 186 MiB resident, and
// 81 MiB for 256^2 pixels.
TEST(MemoryEstimate, CoversAlignment) {
  for (const auto& [side, measured] : {std::pair{256, 81}, std::pair{512, 186}}) {
    Study study = study_of(4, 256);
    study.image_rows = study.image_columns = side;
    study.pixel_size = 1e-4;
    for (Site& site : study.sites) {
      site.geometry.angles.resize(36);
      site.geometry.beamlets = side * 10 / 7;
      site.geometry.spacing = 1e-4;
    }
    const RefineChoice refine = refine_choice("shifts,axis,lag,scale");
    const std::uint64_t bytes = estimate_alignment_memory(refine, study);
    EXPECT_GT(bytes >> 20, static_cast<std::uint64_t>(measured));
    EXPECT_LT(bytes >> 20, static_cast<std::uint64_t>(2 * measured));
    EXPECT_EQ(estimate_alignment_memory({}, study), 0u);
    EXPECT_LT(estimate_alignment_memory(refine, study, {0}), bytes);
    const MemoryEstimate with = estimate_memory({}, study, {.refine = refine});
    EXPECT_EQ(with.aligning, bytes);
    EXPECT_GE(with.bytes(1), bytes);
    study.slices = 512;  // alignment takes a few of them
    EXPECT_EQ(estimate_alignment_memory(refine, study), bytes);
  }
}

TEST(MemoryEstimate, RejectsUnknownMethod) {
  SolveOptions options;
  options.method = "gradient";
  EXPECT_CONTAINS(error_of([&] { estimate_memory(options, large_study()); }),
                  "method: expected one of firm-ds, firm, firm+, fedpgd, pgd, plsqr, found "
                  "'gradient'");
}

TEST(MemoryEstimate, AddsShardsSideBySide) {
  Study study = large_study();
  study.slices = 8;
  const std::uint64_t program = estimate_memory({}, study, SideBySide{});
  const auto needed = [&](std::vector<SideBySide::Part> parts, bool first = false) {
    return estimate_memory({}, study, SideBySide{std::move(parts), first}) - program;
  };
  const std::uint64_t site = needed({{0, 8}});
  EXPECT_EQ(needed({{0, 8}, {0, 8}}), 2 * site);
  EXPECT_LT(needed({{0, 4}}), site);
  // All slices are read, however few are kept; and the first process gets all images.
  EXPECT_EQ(needed({{0, 0}}), 3 * sizeof(float) * 8 * study.sites[0].geometry.rays());
  EXPECT_GT(needed({{0, 1}}, true), 3 * sizeof(float) * 8 * study.pixels());
}

}  // namespace
}  // namespace firm
