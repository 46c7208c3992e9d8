#include "service/site_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/interruption.h"
#include "federation/pki/pinned_keys.h"
#include "federation/protocol/coordinator.h"
#include "federation/protocol/exchange.h"
#include "federation/sums/fixed_point_collective.h"
#include "firm/error.h"
#include "firm/version.h"
#include "io/files/pending_file.h"
#include "run/fit_report.h"
#include "run/store/identity.h"
#include "run/store/refined_json.h"
#include "run/store/run_output.h"
#include "service/site_begin.h"
#include "solve/registry.h"

namespace firm {
namespace {

constexpr const char* kState = "federation.json";

SiteEntry& find_site(StudyFile& file, const SiteArguments& a) {
  std::vector<std::string> names;
  for (SiteEntry& entry : file.sites) {
    if (entry.name == a.name) return entry;
    names.push_back(entry.name);
  }
  throw usage_error({a.study, "--name",
                     fmt::format("one of the study's sites: {}", fmt::join(names, ", ")), a.name});
}

StudyFile study_for(const SiteArguments& a) {
  StudyFile file = read_study(a.study);
  SiteEntry& entry = find_site(file, a);
  if (!a.data.empty()) entry.data = std::filesystem::absolute(a.data).string();
  return file;
}

// The site itself refuses to show its image to others, whatever the coordinator allows.
SolveOptions options_for(const StudyFile& file, const SiteArguments& a) {
  SolveOptions options = federation_options_of(file, a.study, a.settings);
  if (a.insecure || find_method(options.method).sums_suffice) return options;
  throw usage_error({a.study, "method",
                     fmt::format("one that needs nothing but sums: {} shows this site's image to "
                                 "the others; or --insecure",
                                 options.method),
                     options.method});
}

// Data that is refined later is diagnosed then.
PreparedSite prepare_given(StudyData& data, const std::string& site, bool refined_later) {
  data.refuse_counts(site);
  if (!refined_later) {
    data.require_scales(site);
    data.diagnose(site);
  }
  return data.prepare(site, all_slices(data.file()));
}

}  // namespace

SiteWork::SiteWork(const SiteArguments& arguments, const SiteCallbacks& callbacks)
    : arguments_(arguments),
      callbacks_(callbacks),
      data_(study_for(arguments), arguments.study),
      options_(options_for(data_.file(), arguments)),
      terms_(terms_of(data_.file(), options_)),
      refinement_(data_, arguments.name, options_),
      prepared_(prepare_given(data_, arguments.name, refinement_.needed())),
      resolved_(resolved_study(data_.file(), {arguments.study, arguments.out, arguments.truth},
                               {prepared_.site}, options_)),
      directory_(arguments.out,
                 std::filesystem::exists(std::filesystem::path(arguments.out) / kState)
                     ? RunDirectory::Start::kResume
                     : RunDirectory::Start::kNew),
      lock_(directory_.path()),
      checkpoints_(Checkpoints::numbered(directory_.path())) {
  remove_leftovers(directory_.path());
  read_state();
  if (!refinement_.needed()) report_preparation(prepared_.report);
}

void SiteWork::report_preparation(const PreparationReport& report) {
  facts_.preparations = {preparation_json(report)};
  data_lines_ = preparation_lines(arguments_.name, report);
  // Events already have the name of the site in front.
  for (const std::string& line : preparation_lines("data", report)) {
    if (callbacks_.on_event) callbacks_.on_event(line);
  }
}

void SiteWork::read_state() {
  const std::optional<std::string> text = read_text_file(directory_.file(kState));
  if (!text) return;
  try {
    const auto json = nlohmann::json::parse(*text);
    state_ = {json.at("run").get<std::string>(), json.value("attempt", std::uint32_t{0}),
              json.at("done").get<bool>(), json.value("finished", false)};
  } catch (const nlohmann::json::exception&) {
    throw data_error({directory_.file(kState), "", "the state of a run", "something else"});
  }
}

void SiteWork::keep_state() const {
  const nlohmann::ordered_json json = {{"run", state_.run},
                                       {"attempt", state_.attempt},
                                       {"done", state_.done},
                                       {"finished", state_.finished}};
  write_text_file(directory_.file(kState), json.dump() + "\n");
}

std::map<std::string, std::string> SiteWork::keys() const { return pinned_keys(data_.file()); }

std::string SiteWork::warn_keys() const { return warn_unpinned(data_.file()); }

v1::SiteMessage SiteWork::hello() {
  v1::SiteMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_protocol(kProtocol);
  hello.set_software(kVersion);
  hello.set_site(arguments_.name);
  for (const v1::Term& term : terms_) *hello.add_terms() = term;
  *hello.mutable_geometry() = to_message(prepared_.site.geometry);
  *hello.mutable_noise() = noise_message(prepared_.site);
  hello.set_run(state_.run);
  for (const std::uint64_t round : checkpoints_.rounds()) hello.add_checkpoints(round);
  hello.set_done(state_.done);
  hello.set_publishes(arguments_.publish);
  hello_ = hello;
  return message;
}

void SiteWork::begin(const v1::Begin& begin) {
  const InterruptionScope scope(callbacks_.interrupted);
  refinement_.reset();
  check_begin(begin, hello_, data_.file(), state_.attempt);
  study_ = study_with(data_.file(), begin);
  const auto at = std::ranges::find(study_.sites, arguments_.name, &Site::name);
  const auto index = static_cast<std::size_t>(at - study_.sites.begin());
  prepared_.data.site = index;
  auto solver = std::make_unique<ShardSolver>(Shard{{index}, {0, study_.slices}}, study_,
                                              std::vector<SiteData>{prepared_.data}, options_);
  identity_ = solver->identity();
  facts_.study = study_.name;
  facts_.options = options_;
  if (!refinement_.needed()) use(std::move(solver));
  if (state_.run != begin.run()) {
    checkpoints_.remove_all();
    directory_.forget_end();
    state_ = {begin.run(), 0, false, false};
  }
  state_.attempt = begin.attempt();
  keep_state();
  open_checkpoint(begin.round());
}

// Keeps a solver from an earlier attempt, with its matrix, if it is of the same study and data.
void SiteWork::use(std::unique_ptr<ShardSolver> solver) {
  facts_.fingerprints = {solver->fingerprints()[solver->shard().sites.front()]};
  if (solver_ && solver->identity() == solver_->identity()) return;
  solver_ = std::move(solver);
  solver_->build({arguments_.truth, study_.slices}, options_.threads);
  names_ = names_of(solver_->variables());
}

void SiteWork::open_checkpoint(std::uint64_t round) {
  checkpoint_.reset();
  totals_ = {};
  try {
    if (round > 0) {
      checkpoint_ = std::make_unique<Checkpoint>(checkpoints_.path(round), identity_);
      totals_.archive(*checkpoint_);
    }
  } catch (const std::exception& error) {
    checkpoints_.set_aside(round);
    throw CheckpointUnusable(error.what());
  }
  checkpoints_.remove_after(round);
}

ShardSolver::Start SiteWork::solver_start(RemoteExchange& exchange,
                                          FixedPointCollective& collective, const v1::Begin& begin,
                                          const Ledger& ledger, RunHistory& history) {
  ShardSolver::Start start{.collective = collective, .checkpoint = checkpoint_.get()};
  start.more_state = [&](Archive& archive) {
    collective.archive(archive);
    exchange.archive(archive);
  };
  start.observer.on_round = [&, attempt = begin.attempt()](const RoundRecord& r, int limit) {
    if (callbacks_.on_traffic)
      callbacks_.on_traffic({ledger.sums(), exchange.exchanges(), attempt});
    history.add(solver_->shard(), solver_->variables(), r, limit);
  };
  start.observer.on_prior = callbacks_.on_prior;
  start.observer.on_absorption = callbacks_.on_absorption;
  start.observer.paused_seconds = callbacks_.paused_seconds;
  show_images(callbacks_, start.observer, [this](const Block& images) {
    const Study& study = solver_->problem().study();
    callbacks_.on_images({images, solver_->variables(), image_grid(study), 0, study.slices});
  });
  start.on_state = [&](int round, bool, const std::function<void(Archive&)>& state) {
    if (callbacks_.interrupted && callbacks_.interrupted()) throw SiteInterrupted{};
    if (!exchange.checkpoint_asked()) return;
    history.flush();
    checkpoints_.write(identity_, round, state);
  };
  return start;
}

// Every attempt finds the same numbers: those of the first are reported.
void SiteWork::refine(RemoteExchange& exchange) {
  const bool first = !refined_;
  SiteRefinement::Result result =
      refinement_.run(study_, prepared_.data.site, exchange, callbacks_.progress);
  refined_ = std::move(result.found);
  refined_file_ = std::move(result.file);
  refined_sites_ = result.study.sites;
  if (first) {
    for (const std::string& line : refinement_lines(*refined_)) {
      if (callbacks_.on_event) callbacks_.on_event(line);
    }
    report_preparation(result.prepared.report);
  }
  use(std::make_unique<ShardSolver>(Shard{{prepared_.data.site}, {0, study_.slices}}, result.study,
                                    std::vector<SiteData>{std::move(result.prepared.data)},
                                    options_));
}

void SiteWork::write_studies() {
  write_study(directory_.file("study.toml"), resolved_);
  if (!refined_) return;
  SolveOptions options = options_;
  options.refine = "none";
  write_study(directory_.file("refined.toml"),
              resolved_study(refined_file_, {arguments_.study, arguments_.out, arguments_.truth},
                             refined_sites_, options));
}

Summary SiteWork::solve(RemoteExchange& exchange, const v1::Begin& begin, const Ledger& ledger) {
  std::optional<InterruptionScope> scope(callbacks_.interrupted);
  if (refinement_.needed()) refine(exchange);
  FixedPointCollective collective(exchange);
  RunHistory history(directory_, callbacks_, {});
  write_studies();
  directory_.open_history(solver_->rounds_at(static_cast<int>(begin.round())));
  if (callbacks_.on_start) {
    callbacks_.on_start({resolved_,
                         options_,
                         directory_.history(),
                         names_,
                         0,
                         1,
                         {full_scales(solver_->problem())},
                         refined_ ? &*refined_ : nullptr});
  }
  const Stopwatch watch;
  solver_->start(solver_start(exchange, collective, begin, ledger, history));
  checkpoint_.reset();
  Solution solution = solver_->solve();
  scope.reset();  // from here on results are written
  collective.confirm();
  solution.summary.refined = refined_;
  facts_.phases = {{"solving", watch.seconds()}};
  warn_about_fit(solution.summary);
  facts_.federation = {begin.run(), begin.attempt(), exchange.sites(), begin.secure(), 0, 0};
  write_results(solution, ledger);
  return solution.summary;
}

void SiteWork::warn_about_fit(const Summary& summary) {
  facts_.warnings = refined_ ? refined_->warnings : std::vector<std::string>();
  std::ranges::copy(warnings_in(data_lines_), std::back_inserter(facts_.warnings));
  for (const std::string& warning : fit_warnings(summary, data_)) {
    facts_.warnings.push_back(warning);
    if (callbacks_.on_event) callbacks_.on_event("warning: " + warning);
  }
}

}  // namespace firm
