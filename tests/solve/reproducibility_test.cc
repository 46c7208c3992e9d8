// A run gives the same bytes for any number of threads and interruptions, and the same images for
// any split of its sites over processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

#include "solve/barrier_collective.h"
#include "solve/dense_optimum.h"
#include "solve/memory_archive.h"
#include "support/small_study.h"

namespace firm {
namespace {

struct Named {
  std::string name;
  SolveOptions options;
  bool general = true;  // whether sites may differ in geometry and sigma
};

// Every method with its variants; each run ends after a fixed number of rounds.
std::vector<Named> all_methods(int rounds) {
  std::vector<Named> all;
  for (const std::string& method : method_names()) {
    for (const bool accelerated : {false, true}) {
      if (accelerated && method != "fedpgd" && method != "pgd") continue;
      Named named{method + (accelerated ? " accelerated" : ""), {}};
      named.general = method != "firm" && method != "firm+";
      named.options.method = method;
      named.options.fedpgd.accelerated = named.options.pgd.accelerated = accelerated;
      named.options.ds.local_steps = 4;
      named.options.stop.rounds = rounds;
      named.options.stop.kkt = 1e-30;
      named.options.plsqr.tolerance = 0;
      // Inner loops of several rounds, so that some guesses of the step are wrong.
      named.options.firm = {.hold = 2, .ratio = 0.3, .eps = 1e-6, .rule = "relative"};
      all.push_back(named);
    }
  }
  return all;
}

SmallStudy study_for(const Named& method, const SmallStudyOptions& plain) {
  SmallStudyOptions o = plain;
  o.own_geometry = o.own_sigma = o.other = method.general;
  return make_small_study(o);
}

bool same_bytes(const Block& a, const Block& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void expect_same_run(const Solution& found, const Solution& expected, const std::string& what) {
  EXPECT_TRUE(same_bytes(found.images, expected.images)) << what;
  EXPECT_TRUE(same_bytes(found.multiplier, expected.multiplier)) << what;
  const Summary& f = found.summary;
  const Summary& e = expected.summary;
  EXPECT_EQ(f.rounds, e.rounds) << what;
  EXPECT_EQ(f.exchanges, e.exchanges) << what;
  EXPECT_EQ(f.local_iterations, e.local_iterations) << what;
  EXPECT_EQ(f.objective, e.objective) << what;
  EXPECT_EQ(f.step_norm, e.step_norm) << what;
  EXPECT_EQ(f.certificate.stationarity, e.certificate.stationarity) << what;
  EXPECT_EQ(f.termination.message, e.termination.message) << what;
  ASSERT_EQ(f.sites.size(), e.sites.size());
  for (std::size_t i = 0; i < f.sites.size(); ++i) {
    EXPECT_EQ(f.sites[i].residual, e.sites[i].residual) << what;
    EXPECT_EQ(f.sites[i].bytes_up, e.sites[i].bytes_up) << what;
  }
}

Solution run(const SmallStudy& small, const SolveOptions& options, int threads,
             decltype(SolveInput::on_state) on_state = {}, Archive* resume = nullptr) {
  Problem problem(small.study, small.data, {threads});
  LocalCollective alone;
  SolveInput input;
  input.problem = &problem;
  input.collective = &alone;
  input.options = options;
  input.on_state = std::move(on_state);
  input.resume = resume;
  return solve(input);
}

// Large enough for several pieces of 1024 pixels and rays.
TEST(Run, IsIndependentOfThreads) {
  const SmallStudyOptions plain{
      .seed = 5, .sites = 3, .rows = 40, .columns = 37, .angles = 21, .slices = 3};
  for (const Named& method : all_methods(4)) {
    const SmallStudy small = study_for(method, plain);
    const Solution one = run(small, method.options, 1);
    EXPECT_GT(to_matrix(one.images).norm(), 0);
    for (const int threads : {2, 3}) {
      const std::string what = method.name + ", " + std::to_string(threads) + " threads";
      expect_same_run(run(small, method.options, threads), one, what);
    }
  }
}

TEST(Run, ResumesToSameBytes) {
  for (const Named& method : all_methods(12)) {
    const SmallStudy small = study_for(method, {.seed = 6, .slices = 2});
    std::vector<MemoryArchive> states;
    const auto keep = [&](int, bool, const std::function<void(Archive&)>& state) {
      state(states.emplace_back());
    };
    const Solution whole = run(small, method.options, 1, keep);
    ASSERT_GE(states.size(), 13u) << method.name;
    for (std::size_t k = 0; k < states.size(); ++k) {
      states[k].load();
      const Solution resumed = run(small, method.options, 1, {}, &states[k]);
      expect_same_run(resumed, whole, method.name + ", from state " + std::to_string(k));
    }
  }
}

// A study that ends at its noise, in two stages: XRT is far more accurate than the others.
// `uncoupled`: the first site is not coupled.
SmallStudy two_stages(bool common, bool uncoupled) {
  SmallStudy small = make_small_study({.seed = 6,
                                       .rows = 8,
                                       .columns = 8,
                                       .angles = 7,
                                       .slices = 2,
                                       .other = !common,
                                       .own_geometry = !common,
                                       .own_sigma = true});
  for (Site& site : small.study.sites) site.sigma *= 0.1;
  small.study.sites.back().sigma *= 0.05;
  if (uncoupled) small.study.sites.front().coefficient = 0;
  return small;
}

// The first and last states of both stages, and some between.
std::set<std::size_t> some_states(const std::vector<MemoryArchive>& states) {
  const auto second = static_cast<std::size_t>(
      std::ranges::find_if(
          states,
          [](const MemoryArchive& s) { return s.doubles.at("second_stage").front() == 1; }) -
      states.begin());
  std::set<std::size_t> some = {0, 1, second - 1, second, second + 1, states.size() - 1};
  for (std::size_t k = 1; k < 6; ++k) some.insert(k * states.size() / 6);
  return some;
}

TEST(Run, ResumesBothStagesToSameBytes) {
  for (const int variant : {0, 1, 2, 3}) {
    const SmallStudy small = two_stages(variant % 2 == 0, variant / 2 == 1);
    std::vector<MemoryArchive> states;
    const auto keep = [&](int, bool, const std::function<void(Archive&)>& state) {
      state(states.emplace_back());
    };
    const Solution whole = run(small, {}, 1, keep);
    EXPECT_EQ(whole.summary.termination.reason, "noise");
    EXPECT_EQ(states.back().doubles.at("second_stage").front(), 1);
    for (const std::size_t k : some_states(states)) {
      states[k].load();
      expect_same_run(run(small, {}, 1, {}, &states[k]), whole, "from state " + std::to_string(k));
    }
    expect_same_run(run(small, {}, 3), whole, "three threads");
  }
}

TEST(Run, ResumesAfterItsEnd) {
  for (const Named& method : all_methods(6)) {
    const SmallStudy small = study_for(method, {.seed = 7});
    MemoryArchive state;
    const auto keep = [&](int, bool ending, const std::function<void(Archive&)>& save) {
      if (ending) save(state);
    };
    const Solution first = run(small, method.options, 1, keep);
    state.load();
    expect_same_run(run(small, method.options, 1, {}, &state), first, method.name);
    SolveOptions longer = method.options;
    longer.stop.rounds = 10;
    const Solution resumed = run(small, longer, 1, {}, &state);
    EXPECT_TRUE(same_bytes(resumed.images, run(small, longer, 1).images)) << method.name;
  }
}

TEST(Run, AddsTimesUpOverResumes) {
  const Named method = all_methods(6).front();
  const SmallStudy small = study_for(method, {.seed = 7});
  MemoryArchive state;
  const auto keep = [&](int round, bool, const std::function<void(Archive&)>& save) {
    if (round == 3) save(state);
  };
  run(small, method.options, 1, keep);
  EXPECT_GT(state.doubles.at("run/projection_seconds").front(), 0);
  state.doubles["run/seconds"] = {2000};
  state.doubles["run/projection_seconds"] = {1000};
  state.load();
  const Summary s = run(small, method.options, 1, {}, &state).summary;
  EXPECT_GT(s.seconds, 2000);
  EXPECT_GT(s.projection_seconds, 1000);
}

// --- several processes

using Hosts = std::vector<std::vector<std::size_t>>;  // the sites of each process

// One solution for each process.
std::vector<Solution> run_apart(const SmallStudy& small, const SolveOptions& options,
                                const Hosts& hosts, const std::vector<Observer>& observers = {}) {
  Rendezvous rendezvous(hosts.size());
  std::vector<Solution> found(hosts.size());
  std::vector<std::thread> processes;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    processes.emplace_back([&, rank] {
      std::vector<SiteData> data;
      for (const std::size_t site : hosts[rank]) data.push_back(small.data[site]);
      Problem problem(small.study, data, {1});
      BarrierCollective collective(rendezvous, rank);
      SolveInput input;
      input.problem = &problem;
      input.collective = &collective;
      input.options = options;
      if (!observers.empty()) input.observer = observers[rank];
      found[rank] = solve(input);
    });
  }
  for (std::thread& process : processes) process.join();
  return found;
}

// Every split of four sites over two processes, and some splits over more.
std::vector<Hosts> all_hosts() {
  std::vector<Hosts> all;
  for (unsigned mask = 1; mask < 8; ++mask) {  // site 4 is not in process 0
    Hosts two(2);
    for (std::size_t site = 0; site < 4; ++site) {
      two[(mask >> site & 1) != 0 ? 0 : 1].push_back(site);
    }
    all.push_back(two);
  }
  all.push_back({{1}, {3, 0}, {2}});
  all.push_back({{3}, {2}, {1}, {0}});
  return all;
}

std::string text_of(const Hosts& hosts) {
  std::string text;
  for (const auto& sites : hosts) {
    for (const std::size_t site : sites) text += std::to_string(site + 1);
    text += " ";
  }
  return text;
}

// The images of all processes, in the order of a process that hosts all. `other` is with XRT.
Matrix gather(const SmallStudy& small, const Hosts& hosts, const std::vector<Solution>& found) {
  const DenseStudy dense(small.study, small.data);
  Matrix all(dense.pixels(), eigen_index(dense.c.size() + 1) * dense.slices());
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const Matrix images = to_matrix(found[rank].images);
    std::vector<std::size_t> sites = hosts[rank];
    std::sort(sites.begin(), sites.end());
    Eigen::Index from = 0;
    for (const std::size_t site : sites) {
      const std::size_t last = dense.variable(site);
      for (std::size_t v = site; v <= last; ++v, from += dense.slices()) {
        all.middleCols(eigen_index(v) * dense.slices(), dense.slices()) =
            images.middleCols(from, dense.slices());
      }
    }
    EXPECT_EQ(from, images.cols());
  }
  return all;
}

TEST(Run, GivesSameImagesForAnySplitOfSites) {
  for (const Named& method : all_methods(10)) {
    const SmallStudy small = study_for(method, {.seed = 8, .angles = 5, .slices = 2});
    const Solution one = run(small, method.options, 1);
    const Matrix w = to_matrix(one.images);
    const Matrix mu = to_matrix(one.multiplier);
    for (const Hosts& hosts : all_hosts()) {
      SCOPED_TRACE(method.name + " on " + text_of(hosts));
      const std::vector<Solution> found = run_apart(small, method.options, hosts);
      EXPECT_LT((gather(small, hosts, found) - w).norm(), 1e-5 * w.norm());
      for (const Solution& s : found) {
        EXPECT_EQ(s.summary.rounds, one.summary.rounds);
        EXPECT_EQ(s.summary.exchanges, one.summary.exchanges);
        EXPECT_EQ(s.summary.termination.reason, one.summary.termination.reason);
        EXPECT_NEAR(s.summary.objective / one.summary.objective, 1, 1e-5);
        EXPECT_NEAR(s.summary.certificate.stationarity / one.summary.certificate.stationarity, 1,
                    1e-3);
        EXPECT_LE((to_matrix(s.multiplier) - mu).norm(), 1e-4 * mu.norm());
        EXPECT_EQ(s.summary.objective, found.front().summary.objective) << "all know the same";
      }
    }
  }
}

TEST(Run, HasBothStagesForAnySplitOfSites) {
  for (const bool uncoupled : {false, true}) {
    const SmallStudy small = two_stages(false, uncoupled);
    const Solution one = run(small, {}, 1);
    const Matrix w = to_matrix(one.images);
    for (const Hosts& hosts : all_hosts()) {
      SCOPED_TRACE(text_of(hosts));
      const std::vector<Solution> found = run_apart(small, {}, hosts);
      EXPECT_LT((gather(small, hosts, found) - w).norm(), 1e-4 * w.norm());
      for (const Solution& s : found) {
        EXPECT_EQ(s.summary.rounds, one.summary.rounds);
        EXPECT_NEAR(s.summary.objective / one.summary.objective, 1, 1e-4);
        EXPECT_EQ(s.summary.objective, found.front().summary.objective) << "all know the same";
      }
    }
  }
}

// The numbers that decide are sums, so all processes stop at the same round.
TEST(Run, EndsAtSameRoundForAnySplitOfSites) {
  for (const Named& method : all_methods(500)) {
    const SmallStudy small = study_for(method, {.seed = 9, .angles = 5});
    for (const std::string rule : {"kkt", "change", "step", "objective", "discrepancy"}) {
      // firm alone does not know ||D w|| when sites are apart.
      if (rule == "kkt" && !method.general) continue;
      SolveOptions options = method.options;
      options.stop.kkt = 0;
      options.firm.hold = 1000;
      const double objective = 0.05 * DenseStudy(small.study, small.data).objective_at_zero();
      if (rule == "kkt") options.stop.kkt = 1e-2;
      if (rule == "change") options.stop.change = 1e-2;
      if (rule == "step") options.stop.step = 0.1;
      if (rule == "objective") options.stop.objective = objective;
      if (rule == "discrepancy") options.stop.discrepancy = 0.1;
      const Summary one = run(small, options, 1).summary;
      EXPECT_TRUE(one.termination.converged) << method.name << " " << rule;
      for (const Solution& s : run_apart(small, options, {{0, 2}, {1, 3}})) {
        EXPECT_EQ(s.summary.rounds, one.rounds) << method.name << " " << rule;
        EXPECT_EQ(s.summary.termination.reason, one.termination.reason);
      }
    }
  }
}

// The processes beside a paused one wait for it, and do not know why.
TEST(Run, EndsByTimeWhenAllProcessesAreLate) {
  const SmallStudy small = make_small_study({.seed = 9, .angles = 5});
  SolveOptions options;
  options.method = "fedpgd";
  options.stop = {.rounds = 20, .seconds = 1e-9, .kkt = 1e-30};
  const Hosts hosts = {{0, 2}, {1, 3}};
  for (const Solution& s : run_apart(small, options, hosts)) {
    EXPECT_EQ(s.summary.termination.reason, "seconds");
  }
  std::vector<Observer> observers(2);
  observers[1].paused_seconds = [paused = 0.0]() mutable { return paused += 1e6; };
  for (const Solution& s : run_apart(small, options, hosts, observers)) {
    EXPECT_EQ(s.summary.termination.reason, "rounds");
  }
}

}  // namespace
}  // namespace firm
