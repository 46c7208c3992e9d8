#include "physics/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "firm/error.h"
#include "physics/calibration_sums.h"
#include "physics/noise.h"
#include "physics/nonnegative_fit.h"

namespace firm {
namespace {

using calibration::left_over;
using calibration::Measured;
using calibration::Sums;
using calibration::total_of;

// Limits above which there is a warning.
constexpr double kMostUnexplained = 0.05;
constexpr double kMostUncertain = 0.1;  // relative to the factor
constexpr double kMostInflation = 100;  // sinograms with a correlation of 0.995

double noise_of(const CalibrationData& data, std::size_t beamlets) {
  const Block all;
  return estimate_noise(*data.values, data.weights != nullptr ? *data.weights : all, beamlets);
}

// Delete-a-group jackknife.
void find_uncertainties(const std::vector<Sums>& sums, std::vector<CalibrationFactor>& factors) {
  const std::size_t groups = sums.size();
  if (groups < 2) return;
  const Sums total = total_of(sums);
  std::vector<std::vector<double>> without;
  for (const Sums& s : sums) {
    Sums rest = total;
    rest.add(s, -1);
    without.push_back(nonnegative_fit(rest.G, rest.h));
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    double mean = 0;
    for (const auto& f : without) mean += f[i] / static_cast<double>(groups);
    double squares = 0;
    for (const auto& f : without) squares += (f[i] - mean) * (f[i] - mean);
    const auto count = static_cast<double>(groups);
    factors[i].uncertainty = std::sqrt((count - 1) / count * squares);
  }
}

// Fills in shares, residual and the number of values.
void measure_fit(const Measured& m, const std::vector<double>& f, Calibration& c) {
  std::vector<double> values(m.sites() + 1);
  std::vector<double> sums(m.sites() + 1);
  double squares = 0;
  double all = 0;
  m.for_each_row([&](std::size_t angle, std::size_t slice) {
    for (std::size_t j = 0; j < m.beamlets(); ++j) {
      if (!m.get(angle, slice, j, values)) continue;
      ++c.values;
      const double r = left_over(values, f);
      squares += r * r;
      all += values.back() * values.back();
      for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
    }
  });
  if (!(sums.back() > 0)) return;
  c.residual = std::sqrt(squares / all);
  for (std::size_t i = 0; i < f.size(); ++i) c.factors[i].share = f[i] * sums[i] / sums.back();
}

void require_values(const CalibrationInput& input, const Calibration& c, const Sums& all) {
  const std::string where = fmt::format("site {}", input.xrt.name);
  if (c.values == 0) {
    throw data_error({where, "values", "rays at which all sites have a value", "none"});
  }
  if (!(all.yy > 0)) {
    throw data_error({where, "values", "the attenuation of an object", "none"});
  }
}

// The site whose sinogram is most similar to that of `site`.
std::size_t most_alike(const Sums& s, std::size_t site) {
  const std::size_t n = s.h.size();
  std::size_t best = site;
  double most = -1;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == site || !(s.G[i * n + i] > 0)) continue;
    const double likeness = std::abs(s.G[site * n + i]) / std::sqrt(s.G[i * n + i]);
    if (likeness <= most) continue;
    most = likeness;
    best = i;
  }
  return best;
}

void warn_of_factors(const CalibrationInput& input, const Sums& total, Calibration& c) {
  for (std::size_t i = 0; i < c.factors.size(); ++i) {
    const CalibrationFactor& f = c.factors[i];
    const std::string& name = input.xrf[i].name;
    if (!(total.G[i * c.factors.size() + i] > 0)) {
      c.warnings.push_back(fmt::format("{}: no signal; its scale stays unchanged", name));
      continue;
    }
    const bool alone = most_alike(total, i) == i;
    if (!alone && (!f.inflation || *f.inflation > kMostInflation)) {
      c.warnings.push_back(fmt::format(
          "{}: its sinogram is nearly a combination of others, most similar to {}: only the sum of "
          "their contributions is known, not the factor of each",
          name, input.xrf[most_alike(total, i)].name));
    }
    if (f.factor == 0) {
      c.warnings.push_back(fmt::format(
          "{}: factor 0: the other sites explain all of XRT; its scale stays unchanged", name));
    } else if (f.uncertainty && *f.uncertainty > kMostUncertain * f.factor) {
      c.warnings.push_back(fmt::format("{}: its factor is known only to {:.0f} %", name,
                                       100 * *f.uncertainty / f.factor));
    }
  }
}

void warn_of_fit(const CalibrationInput& input, Calibration& c) {
  if (input.other) {
    c.warnings.push_back(
        "other = true: factors are found from rays without other matter; if all rays through an "
        "element meet other matter, its factor is too large");
  }
  // Noise is zero only on average, so the sum may be negative.
  const double chance = 3 * c.residual * c.residual / std::sqrt(static_cast<double>(c.values));
  if (!input.other && c.unexplained > std::sqrt(kMostUnexplained * kMostUnexplained + chance)) {
    c.warnings.push_back(fmt::format(
        "{:.1f} % of the structure of XRT is not explained: an element is missing (then set other "
        "= true in [study]), a coefficient or the energy is wrong, or the sites do not see the "
        "same object at the same place",
        100 * c.unexplained));
  }
}

}  // namespace

Calibration calibrate(const CalibrationInput& input) {
  FIRM_CHECK(!input.xrf.empty());
  const Measured measured(input);
  const std::vector<Sums> neighbours = calibration::neighbour_sums(measured);
  const std::vector<Sums> sums =
      input.other ? calibration::one_sided_sums(measured, noise_of(input.xrt, input.beamlets))
                  : neighbours;
  const Sums total = total_of(sums);
  const std::vector<double> f = nonnegative_fit(total.G, total.h);

  Calibration c;
  for (std::size_t i = 0; i < f.size(); ++i) {
    c.factors.push_back({f[i], {}, 0, variance_inflation(total.G, f.size(), i)});
  }
  measure_fit(measured, f, c);
  const Sums all = total_of(neighbours);
  require_values(input, c, all);
  c.unexplained = std::sqrt(std::max(0.0, all.squares(f)) / all.yy);
  find_uncertainties(sums, c.factors);
  warn_of_factors(input, total, c);
  warn_of_fit(input, c);
  return c;
}

}  // namespace firm
