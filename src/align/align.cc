#include "align/align.h"

#include <fmt/format.h>

#include <memory>

#include "align/angle_refiner.h"
#include "align/axis_refiner.h"
#include "align/gain_refiner.h"
#include "align/lag_refiner.h"
#include "align/scale_refiner.h"
#include "align/shift_refiner.h"
#include "core/timing.h"

namespace firm {
namespace {

constexpr int kFirstSteps = 30;  // of a fit, on a new level
constexpr int kSteps = 10;
constexpr int kMostRounds = 12;  // on one level
constexpr int kMostAtFinest = 4;

class Alignment : public AlignRounds {
 public:
  explicit Alignment(const AlignInput& input)
      : input_(input), state_(input.study, input.hosted, input.threads) {
    const RefineChoice& refine = input.refine;
    // A lag moves the axis of its site.
    const bool axis = refine.axis || refine.lag;
    if (axis) refiners_.push_back(std::make_unique<AxisRefiner>());
    if (refine.lag) refiners_.push_back(std::make_unique<LagRefiner>());
    if (refine.angles) refiners_.push_back(std::make_unique<AngleRefiner>());
    if (refine.gain) refiners_.push_back(std::make_unique<GainRefiner>());
    if (refine.shifts) refiners_.push_back(std::make_unique<ShiftRefiner>(!axis));
    if (refine.scale) refiners_.push_back(std::make_unique<ScaleRefiner>());
  }

  Refinement run();
  void run(int rounds) override;

 private:
  // Runs rounds on the present level until the numbers have settled.
  void settle();
  bool round(int steps);

  const AlignInput& input_;
  AlignState state_;
  std::vector<std::unique_ptr<ScanRefiner>> refiners_;
  int rounds_ = 0;
};

bool Alignment::round(int steps) {
  state_.fit(steps);
  std::vector<double> numbers;
  std::vector<std::size_t> sizes;
  for (const auto& refiner : refiners_) {
    const std::vector<double> own = refiner->share(state_);
    numbers.insert(numbers.end(), own.begin(), own.end());
    sizes.push_back(own.size());
  }
  input_.collective.sum({}, numbers);
  bool settled = true;
  std::span<const double> rest = numbers;
  for (std::size_t k = 0; k < refiners_.size(); ++k) {
    settled = refiners_[k]->update(state_, rest.first(sizes[k])) && settled;
    rest = rest.subspan(sizes[k]);
  }
  ++rounds_;
  return settled;
}

void Alignment::settle() {
  for (const auto& refiner : refiners_) refiner->begin_level(state_);
  // The finest level costs as much as all others together and begins close to the end; only gains,
  // which the images take up in part, need more rounds there.
  const bool finest = state_.level() == 1 && state_.levels().size() > 1 && !input_.refine.gain;
  const int most = finest ? kMostAtFinest : kMostRounds;
  for (int k = 0; k < most; ++k) {
    if (round(k == 0 && !finest ? kFirstSteps : kSteps)) return;
  }
}

void Alignment::run(int rounds) {
  for (int k = 0; k < rounds; ++k) round(kSteps);
}

Refinement Alignment::run() {
  const Stopwatch watch;
  const std::vector<int> levels = state_.levels();
  for (std::size_t k = 0; k < levels.size(); ++k) {
    report(input_.progress, "aligning",
           static_cast<double>(k) / static_cast<double>(levels.size()));
    state_.set_level(levels[k]);
    settle();
    bool again = false;
    for (const auto& refiner : refiners_) {
      again = refiner->end_level(state_, *this, input_.collective) || again;
    }
    if (again) settle();
  }
  Refinement result;
  for (const ScanState& scan : state_.scans()) result.scans.push_back({.name = scan.name});
  for (const SiteState& site : state_.sites()) {
    result.sites.push_back({.name = input_.study.sites[site.source.site].name});
  }
  result.rounds = rounds_;
  for (const auto& refiner : refiners_) refiner->conclude(state_, input_.collective, result);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace

Refinement align(const AlignInput& input) { return Alignment(input).run(); }

}  // namespace firm
