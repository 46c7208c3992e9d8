// Tests of the parts of `firm paper`: percentiles, stored results, parallel tasks, the page.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "paper/campaign.h"
#include "paper/csv.h"
#include "paper/items/grid.h"
#include "paper/page.h"
#include "support/temporary_directory.h"

namespace firm::paper {
namespace {

TEST(Spread, HoldsMeanAndPercentiles) {
  const Spread s = spread_of({10, 0, 5, 2, 3, 4, 6, 7, 8, 9, 1});
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.low, 2);
  EXPECT_DOUBLE_EQ(s.high, 8);
  EXPECT_EQ(s.least, 0);
  const Spread one = spread_of({3});
  EXPECT_EQ(one.low, 3);
  EXPECT_EQ(one.high, 3);
  EXPECT_DOUBLE_EQ(spread_of({1, 2}).low, 1.2);
}

TEST(Grid, HasTenSamplesWhereRunsAreShort) {
  const Plan plan = full_plan();
  EXPECT_EQ(plan.samples_of(1), 10);
  std::set<std::string> ids;
  std::size_t noisy = 0;
  for (const Trial& trial : grid_trials(plan)) {
    EXPECT_TRUE(ids.insert(trial.id()).second) << trial.id();
    if (trial.noise > 0 && trial.largest == Largest::kNoisy) ++noisy;
  }
  std::size_t samples = 0;
  for (const double gamma : plan.gammas) {
    samples += static_cast<std::size_t>(plan.samples_of(gamma));
  }
  EXPECT_EQ(noisy, 2 * 7 * 3 * samples);
  Plan all = full_plan();
  all.samples = 10;
  EXPECT_EQ(all.samples_of(0.02), 10);
}

TEST(Trial, ReportsProgressAndCanBeInterrupted) {
  Trial trial;
  trial.size = 16;
  trial.angles = 5;
  trial.method = "firm";
  trial.curve = Curve::kRoundsAndErrors;
  trial.settings = {{"firm.hold", "100"}};
  trial.expected_rounds = 200;
  const TrialResult r = run(trial, 1, {});
  EXPECT_GT(r.rounds, 100);
  EXPECT_EQ(r.site_errors.size(), 4u);
  EXPECT_EQ(r.curve.round.back(), r.rounds);
  EXPECT_EQ(r.curve.error.size(), r.curve.round.size());
  EXPECT_NEAR(r.curve.error.back(), r.error, 1e-4 * r.error);
  EXPECT_THROW(run(trial, 1, [](double fraction) { return fraction < 0.2; }), Interrupted);
}

TEST(Trial, SurvivesRoundTripThroughJson) {
  TrialResult r;
  r.rounds = 7;
  r.objective = 1.0 / 3;
  r.site_errors = {1, 2.5};
  r.reason = "eps";
  r.curve.round = {1, 2};
  r.prior_strength = 0.25;
  r.image_codes = {0, 4, 1000, 2};
  r.image_steps = {0.5, 0.25};
  const TrialResult back = trial_result(Json::parse(to_json(r).dump()));
  EXPECT_EQ(back.rounds, 7);
  EXPECT_EQ(back.objective, r.objective);
  EXPECT_EQ(back.site_errors, r.site_errors);
  EXPECT_EQ(back.reason, "eps");
  EXPECT_EQ(back.curve.round, r.curve.round);
  EXPECT_EQ(back.prior_strength, 0.25);
  const Block images = images_of(back, 2);
  EXPECT_EQ(images(0, 1), 1.0f);
  EXPECT_EQ(images(1, 0), 500.0f);
}

TEST(Trial, KeepsImagesAndStrengthOfPrior) {
  Trial trial;
  trial.preset = "smooth";
  trial.size = 16;
  trial.angles = 12;
  trial.noise = 0.05;
  trial.method = "firm-ds";
  trial.settings = {{"stop.discrepancy", "0.05"}, {"prior.kind", "tv"}};
  const std::string id = trial.id();
  trial.keeps_images = true;
  EXPECT_NE(trial.id(), id);
  EXPECT_EQ(id.rfind("smooth_16_", 0), 0u) << id;
  const TrialResult r = run(trial, 1, {});
  EXPECT_GT(r.prior_strength, 0);
  const Block truth = study_of(trial).truth;
  const Block images = images_of(r, truth.rows());
  double square = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    square += std::pow(static_cast<double>(images.values()[k] - truth.values()[k]), 2);
  }
  EXPECT_NEAR(std::sqrt(square), r.error, 0.01 * r.error);
}

TEST(Trial, HasMassesOfAbsorbedFluorescence) {
  Trial trial;
  trial.size = 24;
  trial.angles = 24;
  trial.noise = 0.01;
  trial.method = "firm-ds";
  trial.knows_sigma = true;
  trial.absorbing_field = 154e-4;
  Trial ignored = trial;
  ignored.settings = {{"absorption.rounds", "0"}};
  EXPECT_NE(trial.id(), ignored.id());
  const TrialResult without = run(ignored, 1, {});
  EXPECT_TRUE(without.kept.empty());
  EXPECT_EQ(without.outer_rounds, 0);
  EXPECT_LT(without.masses.at(0), 0.7);
  const TrialResult with = trial_result(Json::parse(to_json(run(trial, 1, {})).dump()));
  EXPECT_GT(with.outer_rounds, 1);
  ASSERT_EQ(with.kept.size(), 3u);
  EXPECT_NEAR(with.kept[0], 0.43, 0.05);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(with.masses.at(i), 1, 0.05);
    EXPECT_LT(with.relative_errors.at(i), without.relative_errors.at(i));
  }
}

TEST(Results, AreKeptInFiles) {
  TemporaryDirectory directory;
  {
    Results results(directory.path());
    EXPECT_FALSE(results.has("a"));
    results.put("a", {{"x", 1}});
    EXPECT_TRUE(results.has("a"));
  }
  Results results(directory.path());
  ASSERT_TRUE(results.has("a"));
  EXPECT_EQ(results.get("a").at("x"), 1);
  // Results of another version are ignored; files that are no results are an error.
  write_text_file(directory / "results/b.json", R"({"id": "b", "version": "0", "result": {}})");
  EXPECT_FALSE(results.has("b"));
  write_text_file(directory / "results/c.json", R"({"id": "b", "version": "0", "result": {}})");
  EXPECT_THROW(results.has("c"), Error);
}

Task count_task(const std::string& id, std::atomic<int>& count) {
  return {id, 1, false, [&count](int, const Watch& watch) {
            watch(0.5);
            return Json{{"number", ++count}};
          }};
}

TEST(Campaign, RunsEveryTaskOnce) {
  TemporaryDirectory directory;
  Results results(directory.path());
  std::atomic<int> count = 0;
  std::vector<Task> tasks;
  for (int k = 0; k < 20; ++k) tasks.push_back(count_task(std::to_string(k % 15), count));
  double last = 0;
  CampaignCallbacks callbacks;
  callbacks.progress = [&](const std::string&, double fraction) {
    last = std::max(last, fraction);
  };
  run_tasks(tasks, 3, results, callbacks);
  EXPECT_EQ(count, 15);
  EXPECT_GT(last, 0.5);
  EXPECT_LE(last, 1);
  run_tasks(tasks, 3, results, {});
  EXPECT_EQ(count, 15);
}

TEST(Campaign, KeepsCompletedResultsWhenTaskFails) {
  TemporaryDirectory directory;
  Results results(directory.path());
  std::atomic<int> count = 0;
  std::vector<Task> tasks = {count_task("a", count)};
  tasks.push_back(
      {"b", 0.5, false, [](int, const Watch&) -> Json { throw std::runtime_error("no"); }});
  tasks[0].cost = 2;
  EXPECT_THROW(run_tasks(tasks, 1, results, {}), std::runtime_error);
  EXPECT_TRUE(results.has("a"));
  EXPECT_FALSE(results.has("b"));
}

TEST(Campaign, StopsWhenInterrupted) {
  TemporaryDirectory directory;
  Results results(directory.path());
  std::atomic<int> count = 0;
  CampaignCallbacks callbacks;
  callbacks.interrupted = [&] { return count > 0; };
  std::vector<Task> tasks = {count_task("a", count), count_task("b", count)};
  EXPECT_THROW(run_tasks(tasks, 1, results, callbacks), Interrupted);
  EXPECT_EQ(count, 1);
}

TEST(Page, EscapesTextAndCountsVerdicts) {
  Section section{"x", "A < B", "set & run"};
  section.findings = {{"claim", "found", Verdict::kHolds, ""},
                      {"other", "found", Verdict::kDiffers, "a reason"}};
  const std::string html = page_html({"sub", {section}});
  EXPECT_CONTAINS(html, "A &lt; B");
  EXPECT_CONTAINS(html, "set &amp; run");
  EXPECT_CONTAINS(html, "1 holds");
  EXPECT_CONTAINS(html, "1 differs");
  EXPECT_CONTAINS(html, "a reason");
  const Json json = Json::parse(page_json({"sub", {section}}));
  EXPECT_EQ(json.at("sections")[0].at("findings")[1].at("verdict"), "differs");
}

TEST(Csv, KeepsEveryDigit) {
  TemporaryDirectory directory;
  Csv csv({"a", "b"});
  csv.row({cell(1.0 / 3), cell(2)});
  csv.write(directory / "t.csv");
  EXPECT_EQ(file_content(directory / "t.csv"), "a,b\n0.3333333333333333,2\n");
  EXPECT_THROW(csv.row({"1"}), std::logic_error);
}

}  // namespace
}  // namespace firm::paper
