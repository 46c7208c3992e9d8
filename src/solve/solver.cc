#include "solve/solver.h"

#include <algorithm>
#include <cmath>

#include "core/column_loop.h"
#include "core/timing.h"
#include "firm/error.h"
#include "model/certificate.h"
#include "solve/alone_check.h"
#include "solve/priors/run_prior.h"
#include "solve/registry.h"
#include "solve/stop_forecast.h"
#include "solve/stop_rules.h"

namespace firm {
namespace {

// Counts the traffic of one site; it takes part in every sum.
class CountingCollective : public Collective {
 public:
  explicit CountingCollective(Collective& next) : next_(next) {}

  void sum(std::span<float> vector, std::span<double> scalars) override {
    next_.sum(vector, scalars);
    ++exchanges;
    bytes += static_cast<double>(vector.size_bytes() + scalars.size_bytes());
  }

  void sum_for(const std::string& site, std::span<float> vector) override {
    next_.sum_for(site, vector);
    ++exchanges;
    bytes += static_cast<double>(vector.size_bytes());
  }

  void name_sums(const std::string& kind) override { next_.name_sums(kind); }

  // Exchanged between processes that host slices of the same site: not traffic of the site.
  void sum_slices(std::span<double> scalars) override { next_.sum_slices(scalars); }

  int exchanges = 0;
  double bytes = 0;

 private:
  Collective& next_;
};

double distance_squared(const Block& a, const Block& b, std::size_t column) {
  double sum = 0;
  for (std::size_t p = 0; p < a.rows(); ++p) {
    const double d = static_cast<double>(a(p, column)) - static_cast<double>(b(p, column));
    sum += d * d;
  }
  return sum;
}

// Throws firm::Error if the method does not support a requested feature.
const MethodRow& method_for(const SolveInput& input) {
  const MethodRow& row = find_method(input.options.method);
  if (row.require != nullptr) row.require(input.problem->study());
  const auto refuse = [&](const std::string& what) {
    throw usage_error({"solve", "method", "one that supports " + what, row.name});
  };
  require_coupling(row, input.problem->study());
  require_prior_support(row, input.prior || has_prior(input.options));
  if (!input.refiners.empty() && !row.refines) refuse("refinement of the scan");
  const StopOptions& stop = input.options.stop;
  if (stop.noise > 0 && stop.discrepancy > 0) {
    throw usage_error({"solve", "stop", "either stop.noise or stop.discrepancy", "both"});
  }
  return row;
}

SolveInput with_rule(SolveInput input) {
  const bool prior = input.prior || has_prior(input.options);
  input.options = with_default_rule(input.options, input.problem->study(), prior);
  return input;
}

}  // namespace

class Solver::Run {
 public:
  explicit Run(const SolveInput& input)
      : input_(with_rule(input)),
        problem_(*input.problem),
        row_(method_for(input)),
        collective_(*input.collective),
        scale_(data_gradient_norm(problem_, collective_)),
        prior_(make_prior(input)),
        method_(make_method()),
        rules_(input_.options.stop, *method_),
        levels_(residual_levels(problem_, rules_.used())),
        forecast_(rules_.used()),
        error_loop_(problem_.pixels(), problem_.columns(), 1, problem_.threads()),
        paused_before_(paused_seconds()) {
    if (input_.resume != nullptr) archive(*input_.resume);
    method_->prepare();
  }

  Solution run() {
    if (prior_ && input_.observer.on_prior) {
      input_.observer.on_prior(prior_->summary(method_->prior()));
    }
    do {
      while (!round()) {
      }
    } while (refine());
    return conclude();
  }

 private:
  // Returns the prior that the options ask for, with its strength; null: none.
  std::unique_ptr<RunPrior> make_prior(const SolveInput& input);
  std::unique_ptr<Method> make_method();
  // Runs one round; returns true after the last one.
  bool round();
  // Whether refiners should look at images that have not converged.
  bool refinement_due() const;
  // Lets the refiners change the problem; returns true if the method has to continue.
  bool refine();
  // Pauses in this process, as its caller counts them.
  double paused_seconds() const;
  // Time of the run, without pauses, and the part of it in projections. Both include the time
  // before the run was resumed.
  double seconds() const;
  double projection_seconds() const;
  RoundRecord record() const;
  RoundMetrics metrics(const RoundRecord& record) const;
  void archive(Archive& archive);
  std::optional<double> error();
  void show_images() const;
  int most_rounds() const;
  double misfit() const;
  void look_ahead(RoundRecord& record);
  std::optional<double> objective_before() const;
  Solution conclude();
  void summarise_sites(Summary& summary, const Block& images) const;

  SolveInput input_;
  Problem& problem_;
  const MethodRow& row_;
  CountingCollective collective_;
  double scale_;
  Stopwatch watch_;  // starts before the search of the prior's strength
  std::unique_ptr<RunPrior> prior_;
  std::unique_ptr<Method> method_;
  StopRules rules_;
  std::vector<double> levels_;
  StopForecast forecast_;
  ColumnLoop error_loop_;
  double paused_before_;                  // paused_seconds() at the start of `watch_`
  double seconds_before_ = 0;             // of the run before it was resumed
  double projection_seconds_before_ = 0;  // the same
  long refined_at_ = 0;                   // local steps before the last change of the problem
  int rounds_ = 0;
  bool has_before_ = false;
  double objective_before_ = 0;
  RoundRecord last_;
  std::optional<Termination> voted_;
  Termination termination_;
};

std::unique_ptr<RunPrior> Solver::Run::make_prior(const SolveInput& input) {
  if (!has_prior(input.options)) return nullptr;
  auto prior = std::make_unique<RunPrior>(problem_, input.options);
  prior->choose(collective_, input.resume);
  return prior;
}

std::unique_ptr<Method> Solver::Run::make_method() {
  MethodInput input{problem_, input_.options, collective_, input_.prior, input_.start};
  if (prior_ == nullptr) return row_.make(input);
  input.prior = prior_->factory();
  input.start = prior_->start();
  input.primal_dual = prior_->primal_dual();
  std::unique_ptr<Method> method = row_.make(input);
  prior_->forget_start();
  return method;
}

double Solver::Run::paused_seconds() const {
  return input_.observer.paused_seconds ? input_.observer.paused_seconds() : 0;
}

double Solver::Run::seconds() const {
  return seconds_before_ + watch_.seconds() - (paused_seconds() - paused_before_);
}

double Solver::Run::projection_seconds() const {
  return projection_seconds_before_ + method_->projection_seconds();
}

void Solver::Run::archive(Archive& archive) {
  double run_seconds = seconds();
  double in_projections = projection_seconds();
  double exchanges = collective_.exchanges;
  archive.number("run/seconds", run_seconds);
  archive.number("run/projection_seconds", in_projections);
  archive.number("run/exchanges", exchanges);
  archive.number("run/bytes", collective_.bytes);
  archive.number("run/rounds", rounds_);
  archive.flag("run/has_before", has_before_);
  archive.number("run/objective_before", objective_before_);
  if (input_.resume == &archive) {
    seconds_before_ = run_seconds;
    projection_seconds_before_ = in_projections;
    collective_.exchanges = static_cast<int>(exchanges);
  }
  double refined_at = static_cast<double>(refined_at_);
  if (!input_.refiners.empty()) archive.number("run/refined_at", refined_at);
  refined_at_ = static_cast<long>(refined_at);
  for (Refiner* refiner : input_.refiners) {
    refiner->archive(archive);
    if (input_.resume == &archive) refiner->apply(problem_);
  }
  if (input_.resume == &archive && !input_.refiners.empty()) method_->problem_changed();
  if (prior_) prior_->archive(archive);
  method_->archive(archive);
}

RoundRecord Solver::Run::record() const {
  const Scalars& s = method_->scalars;
  RoundRecord r;
  r.round = rounds_;
  r.seconds = seconds();
  r.objective = s.objective;
  r.step_norm = std::sqrt(s.step_squared);
  r.violation = method_->violation();
  r.kkt = scale_ > 0 ? std::sqrt(s.kkt_squared) / scale_ : 0;
  r.step_size = method_->step_size();
  const std::vector<double>& squares = method_->residuals();
  for (std::size_t v = 0; v < problem_.variables().size(); ++v) {
    double sum = 0;
    for (std::size_t z = 0; z < problem_.slices(); ++z) sum += squares[v * problem_.slices() + z];
    r.residuals.push_back(std::sqrt(sum));
    r.noise.push_back(problem_.noise_scale(v));
  }
  return r;
}

RoundMetrics Solver::Run::metrics(const RoundRecord& r) const {
  RoundMetrics j{r.round, r.objective, r.step_norm, r.kkt, {}, method_->scalars.unmet};
  const double size = std::sqrt(method_->scalars.xrt_squared);
  if (r.violation && size > 0) j.violation = *r.violation / size;
  return j;
}

std::optional<double> Solver::Run::error() {
  if (input_.truth == nullptr || !method_->knows_images()) return {};
  const float* w = method_->images().data();
  const float* truth = input_.truth->data();
  error_loop_.run([=](std::size_t k, std::size_t j, float* sums) {
    const float d = w[k] - truth[k];
    sums[j] += d * d;
  });
  double sum = 0;
  for (std::size_t c = 0; c < problem_.columns(); ++c) {
    const Variable& v = problem_.variables()[c / problem_.slices()];
    if (v.measured && !v.uncoupled()) sum += error_loop_.sum(0, c);
  }
  return std::sqrt(sum);
}

void Solver::Run::show_images() const {
  const Observer& o = input_.observer;
  if (!o.on_images || !method_->knows_images() || !o.wants_images()) return;
  o.on_images(method_->images());
}

int Solver::Run::most_rounds() const {
  const int own = method_->expected_rounds();
  const int most = rules_.used().rounds;
  return own > 0 ? std::min(own, most) : most;
}

double Solver::Run::misfit() const {
  const std::vector<double>& squares = method_->residuals();
  double most = 0;
  for (std::size_t c = 0; c < squares.size(); ++c) {
    if (levels_[c] > 0) most = std::max(most, std::sqrt(squares[c]) / levels_[c]);
  }
  return most;
}

// The method's own limit is far away, so only a limit set by the user counts in the forecast.
void Solver::Run::look_ahead(RoundRecord& r) {
  forecast_.add(metrics(r), objective_before(), misfit());
  const bool asked = method_->expected_rounds() > 0 || input_.options.stop.rounds > 0;
  const int trend = forecast_.end();
  if (trend > 0 && trend < most_rounds()) {
    r.end = trend;
  } else if (asked || trend > 0) {
    r.end = most_rounds();
    r.end_is_limit = true;
  }
}

std::optional<double> Solver::Run::objective_before() const {
  return has_before_ ? std::optional<double>(objective_before_) : std::nullopt;
}

bool Solver::Run::round() {
  // Counts the votes of the round before, so that all processes know that this round is the last.
  auto limit = rules_.limit(rounds_);
  if (!limit) limit = voted_;
  if (input_.on_state) {
    input_.on_state(rounds_, limit.has_value(), [this](Archive& a) { archive(a); });
  }
  method_->share();
  method_->scalars.early = rules_.early(seconds()) ? 1 : 0;
  method_->scalars.interrupted =
      input_.observer.interrupted && input_.observer.interrupted() ? 1 : 0;
  collective_.sum(method_->vector(), method_->scalars.span());
  method_->add_global_scalars();
  collective_.sum_slices(method_->scalars.span());
  voted_ = rules_.voted(method_->scalars);
  const Verdict verdict = method_->judge();
  if (verdict.repeat) return false;

  last_ = record();
  last_.error = error();
  show_images();
  if (input_.observer.on_round) {
    look_ahead(last_);
    input_.observer.on_round(last_, most_rounds());
  }
  auto stop = verdict.done ? verdict.done : rules_.converged(metrics(last_), objective_before());
  if (!stop) stop = limit;
  if (!stop && refinement_due()) stop = Termination{"refined", "as many steps as a refiner needs"};
  if (stop) {
    termination_ = *stop;
    return true;
  }
  has_before_ = true;
  objective_before_ = last_.objective;
  method_->update();
  ++rounds_;
  return false;
}

bool Solver::Run::refinement_due() const {
  return input_.refine_after > 0 && !input_.refiners.empty() &&
         method_->local_iterations() - refined_at_ >= input_.refine_after;
}

bool Solver::Run::refine() {
  if (input_.refiners.empty() || !termination_.converged) return false;
  bool changed = false;
  for (Refiner* refiner : input_.refiners) {
    changed = refiner->refine(problem_, method_->images(), collective_) || changed;
  }
  if (!changed) return false;
  refined_at_ = method_->local_iterations();
  method_->problem_changed();
  has_before_ = false;
  ++rounds_;  // the converged round is in the history
  return true;
}

void Solver::Run::summarise_sites(Summary& summary, const Block& images) const {
  const std::size_t slices = problem_.slices();
  double all = 0;
  for (std::size_t v = 0; v < problem_.variables().size(); ++v) {
    if (!problem_.variables()[v].measured) continue;
    SiteSummary site;
    site.name = problem_.variables()[v].name;
    const bool compared = input_.truth != nullptr && !problem_.variables()[v].uncoupled();
    double squares = 0;
    double error = 0;
    for (std::size_t c = v * slices; c < (v + 1) * slices; ++c) {
      squares += summary.certificate.squares[c];
      const double level =
          problem_.largest()[c] * std::sqrt(static_cast<double>(problem_.rays()[c]));
      if (level > 0) {
        site.discrepancy =
            std::max(site.discrepancy, std::sqrt(summary.certificate.squares[c]) / level);
      }
      if (compared) error += distance_squared(images, *input_.truth, c);
    }
    site.full_scale = full_scale(problem_, v);
    site.sigma = problem_.variables()[v].sigma;
    site.noise_source = problem_.variables()[v].noise_source;
    site.noise_scale = problem_.noise_scale(v);
    site.residual = std::sqrt(squares);
    site.bytes_up = site.bytes_down = collective_.bytes;
    if (compared) site.error = std::sqrt(error);
    all += error;
    summary.sites.push_back(site);
  }
  if (input_.truth != nullptr) summary.error = std::sqrt(all);
}

Solution Solver::Run::conclude() {
  method_->finish(collective_);
  Solution solution;
  solution.images = method_->images();
  Summary& s = solution.summary;
  s.certificate = certify(problem_, collective_, solution.images,
                          {row_.joint, method_->exact_primal(), scale_, method_->prior(),
                           prior_ != nullptr || bool(input_.prior)},
                          solution.multiplier);
  for (const Variable& v : problem_.variables()) solution.names.push_back(v.name);
  s.method = input_.options.method;
  s.rounds = rounds_;
  s.exchanges = collective_.exchanges;
  s.local_iterations = method_->local_iterations();
  s.objective = s.certificate.objective;
  s.step_norm = last_.step_norm;
  s.lambda_max = problem_.lambda_max();
  s.projection_seconds = projection_seconds();
  s.seconds = seconds();
  s.threads = problem_.threads();
  s.kernel = problem_.operators().kernel();
  s.termination = termination_;
  s.stop = rules_.used();
  if (prior_) s.prior = prior_->summary(method_->prior());
  summarise_sites(s, solution.images);
  method_.reset();  // makes room
  if (row_.joint) compare_with_alone(problem_, input_.observer.interrupted, s);
  return solution;
}

Solver::Solver(const SolveInput& input) : run_(std::make_unique<Run>(input)) {}

Solver::~Solver() = default;

Solution Solver::run() { return run_->run(); }

}  // namespace firm
