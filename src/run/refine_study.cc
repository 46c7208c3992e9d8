#include "run/refine_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <optional>
#include <thread>

#include "align/align.h"
#include "align/vertical.h"
#include "core/interruption.h"
#include "core/parallel.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/local_exchange.h"
#include "firm/error.h"
#include "physics/attenuation.h"
#include "prep/fluorescence.h"
#include "prep/site_noise.h"
#include "run/absorbed_scans.h"
#include "solve/registry.h"

namespace firm {
namespace {

constexpr std::size_t kMostSlices = 4;
constexpr std::size_t kLeastForVertical = 4;

// Density of the matter of an XRF site as a solid; that of a compound is not in the tables.
double solid_density(const SiteEntry& entry) {
  constexpr double kCompound = 2;
  if (!entry.compound.empty()) return kCompound;
  return element_density(element_of_channel(entry.element).value_or("")).value_or(0);
}

// Noise of the values that carry the signal. That of counts is far larger than the smallest, which
// is `sigma`.
double signal_noise(const SiteData& data, double sigma) {
  constexpr float kSignal = 0.2f;  // of the largest value
  const float largest = *std::ranges::max_element(data.values.values());
  double variance = 0, count = 0;
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    const double weight = data.weights.data()[k];
    if (weight <= 0 || data.values.data()[k] < kSignal * largest) continue;
    variance += sigma * sigma / weight;
    count += 1;
  }
  return count > 0 ? std::sqrt(variance / count) : sigma;
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace

RefineChoice needed_refinement(const StudyFile& file, const SolveOptions& options) {
  RefineChoice choice = refine_choice(options.refine);
  for (const SiteEntry& site : file.sites) {
    choice.scale = choice.scale || site.prepare.find_scale;
  }
  return choice;
}

void check_refinement(const StudyFile& file, const RefineChoice& choice) {
  check_absorbed_refinement(file, choice);
  if (choice.vertical && static_cast<std::size_t>(file.slices) < kLeastForVertical) {
    throw usage_error({"solve", "refine",
                       fmt::format("at least {} slices for shifts-vertical", kLeastForVertical),
                       fmt::format("{}", file.slices)});
  }
  const auto open = [](const SiteEntry& s) { return s.prepare.find_scale || s.prepare.scale; };
  if (choice.scale && std::ranges::none_of(file.sites, open)) {
    throw usage_error({"solve", "refine",
                       "an XRF site with scale = \"auto\", or a number, to refine",
                       "scale, and no site with that key"});
  }
}

void check_refined_method(const StudyFile& file, const RefineChoice& choice,
                          const std::string& method) {
  if (find_method(method).require == nullptr) return;
  // Sites of one scan keep the same shifts and angles, but each has an axis of its own, which a lag
  // moves, too.
  const bool one_scan = std::ranges::all_of(file.sites, [&](const SiteEntry& s) {
    return s.scan_name() == file.sites.front().scan_name();
  });
  std::vector<std::string> apart;
  if (choice.axis) apart.emplace_back("axis");
  if (choice.lag) apart.emplace_back("lag");
  if (choice.shifts && !one_scan) apart.emplace_back("shifts of several scans");
  if (choice.angles && !one_scan) apart.emplace_back("angles of several scans");
  if (apart.empty()) return;
  throw usage_error(
      {"solve", "refine",
       fmt::format("what leaves the rays of all sites the same, as method {} needs; or method "
                   "firm-ds, which takes any rays",
                   method),
       fmt::format("{}, which may give every site other rays", fmt::join(apart, ", "))});
}

std::size_t slices_to_align(std::size_t slices) { return std::min(kMostSlices, slices); }

StudyRefiner::StudyRefiner(StudyData& data, Study study, const RefineChoice& choice)
    : data_(data), study_(std::move(study)), choice_(choice) {
  for (const Site& site : study_.sites) {
    const std::string name = site.scan_name();
    if (std::ranges::find(scans_, name) == scans_.end()) scans_.push_back(name);
    lags_.push_back(entry(lags_.size()).prepare.lag);
  }
}

const SiteEntry& StudyRefiner::entry(std::size_t site) const {
  return *std::ranges::find(data_.file().sites, study_.sites[site].name, &SiteEntry::name);
}

std::size_t StudyRefiner::scan_of(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(scans_, name) - scans_.begin());
}

std::vector<std::size_t> StudyRefiner::slices() const {
  const std::size_t count = slices_to_align(study_.slices);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < count; ++k) {
    chosen.push_back((2 * k + 1) * study_.slices / (2 * count));
  }
  return chosen;
}

SiteData StudyRefiner::read(std::size_t site, double lag) {
  const std::lock_guard lock(mutex_);
  const std::string& name = study_.sites[site].name;
  const double in_file = lag * entry(site).binning;
  if (choice_.lag && in_file != entry(site).prepare.lag.value_or(0)) {
    data_.set_refined(name, {.lag = in_file});
  }
  const std::vector<std::size_t> chosen = slices();
  SiteData all;
  all.site = site;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const PreparedSite one = data_.prepare(name, {chosen[k], 1});
    const std::size_t rays = one.data.values.rows();
    if (k == 0) {
      all.values = Block(rays, chosen.size());
      all.weights = Block(rays, chosen.size());
    }
    for (std::size_t ray = 0; ray < rays; ++ray) {
      all.values(ray, k) = one.data.values(ray, 0);
      all.weights(ray, k) = one.data.weights.rows() > 0 ? one.data.weights(ray, 0) : 1;
    }
  }
  return all;
}

// Sums over the beamlets; rows with masked values get the mean of the others.
std::vector<double> StudyRefiner::masses(std::size_t site) {
  const std::lock_guard lock(mutex_);
  const Geometry& g = study_.sites[site].geometry;
  const auto beamlets = static_cast<std::size_t>(g.beamlets);
  std::vector<double> all(g.angles.size() * study_.slices);
  for (std::size_t first = 0; first < study_.slices; first += kSlicesOfMasses) {
    const SliceRange range{first, std::min(kSlicesOfMasses, study_.slices - first)};
    const PreparedSite some = data_.prepare(study_.sites[site].name, range);
    for (std::size_t row = 0; row < g.angles.size() * range.count; ++row) {
      const std::size_t angle = row / range.count;
      const std::size_t z = row % range.count;
      double sum = 0, count = 0;
      for (std::size_t j = 0; j < beamlets; ++j) {
        const std::size_t ray = angle * beamlets + j;
        if (some.data.weights.rows() > 0 && some.data.weights(ray, z) == 0) continue;
        sum += some.data.values(ray, z);
        count += 1;
      }
      const double missing = static_cast<double>(beamlets) / std::max(count, 1.0);
      all[angle * study_.slices + first + z] = sum * missing;
    }
  }
  return all;
}

void StudyRefiner::find_vertical(const std::vector<std::size_t>& sites, Collective& collective,
                                 Refinement& result) {
  std::vector<MassProfiles> profiles;
  for (const std::size_t i : sites) {
    if (is_absorbed(data_.file(), entry(i))) continue;
    profiles.push_back({scan_of(study_.sites[i].scan_name()), study_.slices, masses(i)});
  }
  std::vector<std::size_t> angles(scans_.size());
  for (const Site& site : study_.sites) {
    angles[scan_of(site.scan_name())] = site.geometry.angles.size();
  }
  const std::vector<VerticalShifts> found =
      align_vertically(angles, study_.slices, profiles, collective);
  for (std::size_t s = 0; s < scans_.size(); ++s) {
    result.scans[s].vertical = found[s].shifts;
    result.scans[s].vertical_uncertainty = found[s].uncertainty;
  }
  // The slices that are aligned next are those of the object.
  const std::lock_guard lock(mutex_);
  for (const std::size_t i : sites) {
    const std::size_t s = scan_of(study_.sites[i].scan_name());
    data_.set_refined(study_.sites[i].name,
                      {.shifts_vertical = times(found[s].shifts, entry(i).binning)});
  }
}

Refinement StudyRefiner::align(const std::vector<std::size_t>& sites, Collective& collective,
                               int threads, const Progress& progress) {
  Refinement vertical;
  for (const std::string& name : scans_) vertical.scans.push_back({.name = name});
  if (choice_.vertical) find_vertical(sites, collective, vertical);
  Study study = study_;
  std::vector<AlignSite> hosted;
  std::vector<std::string> mixed;
  std::vector<FollowingSite> following;
  for (const std::size_t i : sites) {
    const SiteEntry& e = entry(i);
    following.push_back(
        {e.name, scan_of(study_.sites[i].scan_name()), is_absorbed(data_.file(), e)});
    if (following.back().absorbed) continue;
    AlignSite site;
    site.site = i;
    site.lag = e.prepare.lag.value_or(0) / e.binning;
    site.logarithm = e.prepare.minus_log;
    site.open_scale =
        e.kind == "xrf" && (e.prepare.find_scale || (choice_.scale && e.prepare.scale));
    site.solid_density = solid_density(e);
    if (site.open_scale) {
      const std::lock_guard lock(mutex_);
      const std::string text = data_.warn_cross_talk(e.name);
      site.mixed = !text.empty();
      if (site.mixed)
        mixed.push_back(fmt::format("{}: {}; its scale is not known before that", e.name, text));
    }
    site.data = [this, i](double lag) { return read(i, lag); };
    const auto beamlets = static_cast<std::size_t>(study.sites[i].geometry.beamlets);
    const SiteData some = read(i, site.lag);
    study.sites[i].sigma = study_.noise_known() ? signal_noise(some, study.sites[i].sigma)
                                                : guess_noise(some, beamlets);
    hosted.push_back(std::move(site));
  }
  Refinement result = firm::align({study, hosted, choice_, collective, threads, progress});
  if (data_.file().self_absorption) {
    let_absorbed_sites_follow(following, choice_.axis, collective, result);
  }
  // Scales are those of the numbers in the file, also where the study had one to begin with.
  for (RefinedSite& site : result.sites) {
    const SiteEntry& e = *std::ranges::find(data_.file().sites, site.name, &SiteEntry::name);
    if (!site.scale) continue;
    site.scale->value *= e.prepare.scale.value_or(1);
    site.scale->uncertainty *= e.prepare.scale.value_or(1);
  }
  for (std::size_t s = 0; s < scans_.size(); ++s) {
    result.scans[s].vertical = vertical.scans[s].vertical;
    result.scans[s].vertical_uncertainty = vertical.scans[s].vertical_uncertainty;
  }
  result.warnings.insert(result.warnings.end(), mixed.begin(), mixed.end());
  result.notes.insert(result.notes.begin(),
                      fmt::format("aligned on slice{} {} of {}", slices().size() == 1 ? "" : "s",
                                  fmt::join(slices(), ", "), study_.slices));
  return result;
}

RefinedValues StudyRefiner::values_of_scan(const Refinement& refinement, std::size_t site) const {
  const double binning = entry(site).binning;
  const RefinedScan& scan = refinement.scans[scan_of(study_.sites[site].scan_name())];
  RefinedValues values;
  values.shifts = times(scan.shifts, binning);
  values.shifts_vertical = times(scan.vertical, binning);
  if (scan.angle_scale) values.angle_scale = scan.angle_scale->value * entry(site).angle_scale;
  return values;
}

void StudyRefiner::apply(const Refinement& refinement) {
  for (std::size_t i = 0; i < study_.sites.size(); ++i) {
    const std::string& name = study_.sites[i].name;
    RefinedValues values = values_of_scan(refinement, i);
    const auto found = std::ranges::find(refinement.sites, name, &RefinedSite::name);
    if (found != refinement.sites.end()) {
      const double binning = entry(i).binning;
      if (found->axis) values.rotation_axis = found->axis->value * binning;
      // Trials have changed a lag that was not found, too.
      values.lag = found->lag ? found->lag->value * binning : lags_[i];
      values.gain = found->gain;
      const double before = entry(i).prepare.scale.value_or(1);
      if (found->coupled && found->scale) values.scale = found->scale->value;
      if (!found->coupled) values.scale = before;
      values.coupled = found->coupled;
    }
    data_.set_refined(name, values);
  }
}

namespace {

// One thread for each site, as in a federation.
Refinement align_side_by_side(StudyRefiner& refiner, std::size_t sites, int threads,
                              const Progress& progress) {
  OneProcess alone;
  LocalAllreduce allreduce(alone, {sites, sites, 1}, [] { return false; });
  std::vector<Refinement> results(sites);
  std::exception_ptr error;
  std::mutex mutex;
  const int each = std::max(1, thread_count(threads) / static_cast<int>(sites));
  const std::function<bool()> interrupted = current_interruption();
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < sites; ++i) {
      workers.emplace_back([&, i] {
        try {
          const InterruptionScope scope(interrupted);
          LocalExchange exchange(allreduce);
          FixedPointCollective collective(exchange);
          results[i] = refiner.align({i}, collective, each, i == 0 ? progress : Progress());
        } catch (const PeerFailed&) {
          // The site that failed reports the error.
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!error) error = std::current_exception();
          allreduce.fail();
        }
      });
    }
  }
  if (error) std::rethrow_exception(error);
  Refinement all = results.front();
  for (std::size_t i = 1; i < sites; ++i) {
    all.sites.push_back(results[i].sites.front());
    for (const std::string& text : results[i].warnings) {
      if (std::ranges::find(all.warnings, text) == all.warnings.end()) all.warnings.push_back(text);
    }
  }
  return all;
}

}  // namespace

Refinement refine_study(StudyData& data, const SolveOptions& options, bool separate,
                        const Progress& progress) {
  const RefineChoice choice = needed_refinement(data.file(), options);
  check_refinement(data.file(), choice);
  const Study study = data.geometries();
  StudyRefiner refiner(data, study, choice);
  std::vector<std::size_t> all(study.sites.size());
  std::iota(all.begin(), all.end(), 0);
  Refinement found;
  if (separate) {
    found = align_side_by_side(refiner, all.size(), options.threads, progress);
  } else {
    LocalCollective collective;
    found = refiner.align(all, collective, options.threads, progress);
  }
  refiner.apply(found);
  return found;
}

void share_refined_sites(const Site& own, std::size_t index, Collective& collective, Study& study) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < study.sites.size(); ++i) {
    const std::size_t angles = study.sites[i].geometry.angles.size();
    const Geometry& g = own.geometry;
    const bool mine = i == index;
    for (std::size_t k = 0; k < angles; ++k) numbers.push_back(mine ? g.angles[k] : 0);
    for (std::size_t k = 0; k < angles; ++k) {
      numbers.push_back(mine && !g.shifts.empty() ? g.shifts[k] : 0);
    }
    const std::vector<double> rest{g.rotation_axis, own.sigma, own.weighted_values ? 1.0 : 0.0,
                                   own.coefficient > 0 ? 1.0 : 0.0, g.shifts.empty() ? 0.0 : 1.0};
    for (const double value : rest) numbers.push_back(mine ? value : 0);
  }
  collective.sum({}, numbers);
  const double* from = numbers.data();
  for (Site& site : study.sites) {
    Geometry& g = site.geometry;
    const std::size_t angles = g.angles.size();
    g.angles.assign(from, from + angles);
    g.shifts.assign(from + angles, from + 2 * angles);
    from += 2 * angles;
    g.rotation_axis = from[0];
    site.sigma = from[1];
    site.weighted_values = from[2] != 0;
    if (from[3] == 0) site.coefficient = 0;
    if (from[4] == 0) g.shifts.clear();
    from += 5;
  }
  study.validate();
}

}  // namespace firm
