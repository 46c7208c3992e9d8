#include "run/shard/absorption_merge.h"

#include <algorithm>

namespace firm {
namespace {

// Adds the masses of other slices of a site. Slices that settled after fewer rounds keep their last
// mass.
void add_masses(const std::vector<double>& more, std::vector<double>& masses) {
  while (masses.size() < more.size()) masses.push_back(masses.empty() ? 0 : masses.back());
  for (std::size_t k = 0; k < masses.size(); ++k) {
    if (!more.empty()) masses[k] += more[std::min(k, more.size() - 1)];
  }
}

}  // namespace

void add_absorption(const AbsorptionSummary& more, AbsorptionSummary& all) {
  all.outer_rounds = std::max(all.outer_rounds, more.outer_rounds);
  for (const AbsorptionSummary::Site& site : more.sites) {
    const auto known = std::ranges::find(all.sites, site.name, &AbsorptionSummary::Site::name);
    if (known == all.sites.end()) {
      all.sites.push_back(site);
      continue;
    }
    known->emitted += site.emitted;
    known->kept += site.kept;
    add_masses(site.masses, known->masses);
  }
}

void AbsorptionRounds::add(std::size_t shard, AbsorptionSummary round) {
  const std::lock_guard lock(mutex_);
  of_shards_[shard] = std::move(round);
  if (std::ranges::any_of(of_shards_, [](const auto& one) { return !one; })) return;
  AbsorptionSummary all = *of_shards_.front();
  for (std::size_t k = 1; k < of_shards_.size(); ++k) add_absorption(*of_shards_[k], all);
  for (auto& one : of_shards_) one.reset();
  callback_(all);
}

}  // namespace firm
