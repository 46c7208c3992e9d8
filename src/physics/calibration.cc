#include "physics/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "firm/error.h"
#include "physics/nonnegative_fit.h"

namespace firm {
namespace {

constexpr std::size_t kGroups = 16;        // of angles, for the jackknife
constexpr std::size_t kBin = 4;            // beamlets, with other
constexpr double kLeftOver = 0.02;         // weight of what may be other's
constexpr double kMostUnexplained = 0.05;  // and no warning
constexpr double kMostUncertain = 0.1;     // of a factor
constexpr double kMostInflation = 100;     // sinograms with a correlation of 0.995

// Sums for a fit: f^T G f - 2 h^T f + yy is the sum of squares.
struct Sums {
  std::vector<double> G;
  std::vector<double> h;
  double yy = 0;

  explicit Sums(std::size_t n) : G(n * n), h(n) {}

  // Both ways, so that G is symmetric: z, and z once more, with the last entry that of XRT.
  void add(std::span<const double> a, std::span<const double> b, double weight) {
    const std::size_t n = h.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        G[i * n + k] += weight * (a[i] * b[k] + b[i] * a[k]) / 2;
      }
      h[i] += weight * (a[i] * b[n] + b[i] * a[n]) / 2;
    }
    yy += weight * a[n] * b[n];
  }
  void add(const Sums& more, double factor) {
    for (std::size_t k = 0; k < G.size(); ++k) G[k] += factor * more.G[k];
    for (std::size_t k = 0; k < h.size(); ++k) h[k] += factor * more.h[k];
    yy += factor * more.yy;
  }
  double squares(const std::vector<double>& f) const {
    double sum = yy;
    for (std::size_t i = 0; i < f.size(); ++i) {
      sum -= 2 * f[i] * h[i];
      for (std::size_t k = 0; k < f.size(); ++k) sum += f[i] * f[k] * G[i * f.size() + k];
    }
    return sum;
  }
};

// Values of all sites, x_i = c_i b_i, and of XRT last.
class Measured {
 public:
  explicit Measured(const CalibrationInput& input) : input_(input), all_(input.xrf) {
    all_.push_back(input.xrt);
    const Block& y = *input.xrt.values;
    FIRM_CHECK(input.beamlets > 0 && y.rows() % input.beamlets == 0);
    for (const CalibrationData& one : all_) FIRM_CHECK(one.values->size() == y.size());
  }

  std::size_t sites() const { return input_.xrf.size(); }
  std::size_t beamlets() const { return input_.beamlets; }
  std::size_t angles() const { return input_.xrt.values->rows() / input_.beamlets; }
  std::size_t slices() const { return input_.xrt.values->columns(); }
  std::size_t groups() const { return std::min(kGroups, angles()); }
  std::size_t group(std::size_t angle) const { return angle * groups() / angles(); }

  // False where a site has no value.
  bool get(std::size_t angle, std::size_t slice, std::size_t beamlet,
           std::vector<double>& out) const {
    const std::size_t k = (angle * beamlets() + beamlet) * slices() + slice;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const CalibrationData& one = all_[i];
      const bool weighted = one.weights != nullptr && one.weights->rows() > 0;
      if (weighted && one.weights->data()[k] <= 0) return false;
      out[i] = one.coefficient * static_cast<double>(one.values->data()[k]);
    }
    return true;
  }

  template <typename Work>
  void for_each_row(const Work& work) const {
    for (std::size_t angle = 0; angle < angles(); ++angle) {
      for (std::size_t slice = 0; slice < slices(); ++slice) work(angle, slice);
    }
  }

 private:
  const CalibrationInput& input_;
  std::vector<CalibrationData> all_;
};

// ---- sums ----------------------------------------------------------------------------------

// Over neighbouring beamlets, by groups of angles.
std::vector<Sums> neighbour_sums(const Measured& m) {
  std::vector<Sums> sums(m.groups(), Sums(m.sites()));
  std::vector<double> before(m.sites() + 1);
  std::vector<double> here(m.sites() + 1);
  m.for_each_row([&](std::size_t angle, std::size_t slice) {
    bool had = false;
    for (std::size_t j = 0; j < m.beamlets(); ++j) {
      const bool has = m.get(angle, slice, j, here);
      if (had && has) sums[m.group(angle)].add(before, here, 1);
      had = has;
      std::swap(before, here);
    }
  });
  return sums;
}

// Means of some beamlets, one after the other; the group of each.
struct Bins {
  std::vector<double> values;
  std::vector<std::size_t> groups;
};

Bins make_bins(const Measured& m) {
  Bins bins;
  const std::size_t width = m.sites() + 1;
  std::vector<double> one(width);
  m.for_each_row([&](std::size_t angle, std::size_t slice) {
    for (std::size_t first = 0; first < m.beamlets(); first += kBin) {
      std::vector<double> sum(width);
      double count = 0;
      for (std::size_t j = first; j < std::min(first + kBin, m.beamlets()); ++j) {
        if (!m.get(angle, slice, j, one)) continue;
        for (std::size_t i = 0; i < width; ++i) sum[i] += one[i];
        ++count;
      }
      if (count == 0) continue;
      for (const double s : sum) bins.values.push_back(s / count);
      bins.groups.push_back(m.group(angle));
    }
  });
  return bins;
}

double left_over(std::span<const double> bin, const std::vector<double>& f) {
  double r = bin.back();
  for (std::size_t i = 0; i < f.size(); ++i) r -= f[i] * bin[i];
  return r;
}

Sums total_of(const std::vector<Sums>& sums) {
  Sums total(sums.front().h.size());
  for (const Sums& s : sums) total.add(s, 1);
  return total;
}

// One-sided: by groups, with the weights that belong to the f that they give.
std::vector<Sums> one_sided_sums(const Measured& m) {
  const Bins bins = make_bins(m);
  const std::size_t width = m.sites() + 1;
  std::vector<double> weights(bins.groups.size(), 1.0);
  std::vector<Sums> sums;
  // Few changes of sign are left after each step; it ends when there are none.
  for (int step = 0; step < 200; ++step) {
    sums.assign(m.groups(), Sums(m.sites()));
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const std::span bin(bins.values.data() + k * width, width);
      sums[bins.groups[k]].add(bin, bin, weights[k]);
    }
    const Sums total = total_of(sums);
    const std::vector<double> f = nonnegative_fit(total.G, total.h);
    bool changed = false;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const std::span bin(bins.values.data() + k * width, width);
      const double weight = left_over(bin, f) < 0 ? 1 : kLeftOver;
      changed |= weight != weights[k];
      weights[k] = weight;
    }
    if (!changed) break;
  }
  return sums;
}

// ---- what is known about a fit ---------------------------------------------------------------

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

// Shares, residual, and how many values there were.
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

// The site whose sinogram is most like that of `site`.
std::size_t most_alike(const Sums& s, std::size_t site) {
  const std::size_t n = s.h.size();
  std::size_t best = site == 0 ? 1 : 0;
  const auto likeness = [&](std::size_t i) {
    return std::abs(s.G[site * n + i]) / std::sqrt(s.G[i * n + i]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (i != site && s.G[i * n + i] > 0 && likeness(i) > likeness(best)) best = i;
  }
  return best;
}

void warn_of_factors(const CalibrationInput& input, const Sums& total, Calibration& c) {
  for (std::size_t i = 0; i < c.factors.size(); ++i) {
    const CalibrationFactor& f = c.factors[i];
    const std::string& name = input.xrf[i].name;
    const bool alone = c.factors.size() == 1;
    if (!alone && (!f.inflation || *f.inflation > kMostInflation)) {
      c.warnings.push_back(fmt::format(
          "{}: its sinogram is nearly made up of those of others, first of all {}: only the sum of "
          "what they explain is known, not the factor of each",
          name, input.xrf[most_alike(total, i)].name));
    }
    if (f.factor == 0) {
      c.warnings.push_back(fmt::format(
          "{}: factor 0: XRT shows nothing of it beyond what the others explain; its scale stays "
          "as it is",
          name));
    } else if (f.uncertainty && *f.uncertainty > kMostUncertain * f.factor) {
      c.warnings.push_back(fmt::format("{}: its factor is known to {:.0f} % only", name,
                                       100 * *f.uncertainty / f.factor));
    }
  }
}

void warn_of_fit(const CalibrationInput& input, Calibration& c) {
  if (input.other) {
    c.warnings.push_back(
        "other = true: factors are the largest that XRT allows; where other matter is within an "
        "element everywhere, the true one is smaller");
  }
  if (!input.other && c.unexplained > kMostUnexplained) {
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
  const std::vector<Sums> neighbours = neighbour_sums(measured);
  const std::vector<Sums> sums = input.other ? one_sided_sums(measured) : neighbours;
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
