// Sums of a calibration: products of the values of all sites, by groups of angles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "firm/error.h"
#include "physics/calibration.h"

namespace firm::calibration {

inline constexpr std::size_t kGroups = 16;  // of angles, for the jackknife

// Sums for a fit: f^T G f - 2 h^T f + yy is the sum of squares.
struct Sums {
  std::vector<double> G;
  std::vector<double> h;
  double yy = 0;

  explicit Sums(std::size_t n) : G(n * n), h(n) {}

  // Adds the products of a and b, symmetrically. The last entry of both is XRT.
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

  // Values of all sites at a ray; false if one of them is masked.
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

// Remainder of XRT, the last entry of `bin`, after subtracting the fit.
double left_over(std::span<const double> bin, const std::vector<double>& f);

Sums total_of(const std::vector<Sums>& sums);

// Sums over neighbouring beamlets, by groups of angles (calibration.h).
std::vector<Sums> neighbour_sums(const Measured& m);

// Sums over means of four beamlets with their final weights p, for a study with other matter
// (calibration.h). `noise`: of XRT.
std::vector<Sums> one_sided_sums(const Measured& m, double noise);

}  // namespace firm::calibration
