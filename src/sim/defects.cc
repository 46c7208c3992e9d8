#include "sim/defects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "firm/error.h"
#include "sim/noise.h"

namespace firm {
namespace {

// Streams of Random. Sites have those from 0 on.
constexpr std::uint64_t kJitterStream = 1000;
constexpr std::uint64_t kVerticalStream = 1001;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

void subtract(double factor, const std::vector<double>& b, std::vector<double>& a) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] -= factor * b[k];
}

// Removes the parts of `values` along 1, cos and sin of the angles, by Gram-Schmidt.
void remove_position(const std::vector<double>& angles, std::vector<double>& values) {
  std::array<std::vector<double>, 3> basis;
  for (const double angle : angles) {
    basis[0].push_back(1);
    basis[1].push_back(std::cos(angle));
    basis[2].push_back(std::sin(angle));
  }
  for (std::size_t i = 0; i < basis.size(); ++i) {
    // The second pass removes what rounding leaves of the first.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < i; ++k) subtract(dot(basis[k], basis[i]), basis[k], basis[i]);
    }
    const double length = std::sqrt(dot(basis[i], basis[i]));
    for (double& value : basis[i]) value /= length;
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::vector<double>& b : basis) subtract(dot(b, values), b, values);
  }
}

// From 0 for the first to 1 for the last of `count` angles.
double progress_of_scan(std::size_t k, std::size_t count) {
  return count == 1 ? 0.5 : static_cast<double>(k) / static_cast<double>(count - 1);
}

std::vector<double> stage_shifts(const Defects& d, const std::vector<double>& angles,
                                 std::uint64_t seed) {
  std::vector<double> shifts(angles.size(), 0.0);
  if (d.jitter == 0 && d.drift == 0) return shifts;
  Random random(seed, kJitterStream);
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    shifts[k] =
        d.jitter * (2 * random.uniform() - 1) + d.drift * progress_of_scan(k, shifts.size());
  }
  remove_position(angles, shifts);
  return shifts;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::vector<double> vertical_shifts(double jitter, std::size_t count, std::uint64_t seed) {
  std::vector<double> shifts(count, 0.0);
  if (jitter == 0) return shifts;
  Random random(seed, kVerticalStream);
  for (double& shift : shifts) shift = jitter * (2 * random.uniform() - 1);
  const double middle = mean(shifts);
  for (double& shift : shifts) shift -= middle;
  return shifts;
}

// A line plus half a sine, shifted to the mean 1, with `size` between its extremes.
std::vector<double> beam_gain(double size, std::size_t count) {
  std::vector<double> gain(count, 1.0);
  if (size == 0 || count == 1) return gain;
  std::vector<double> shape;
  for (std::size_t k = 0; k < count; ++k) {
    const double u = progress_of_scan(k, count);
    shape.push_back(u + std::sin(std::numbers::pi * u) / 2);
  }
  const double middle = mean(shape);
  const auto [least, most] = std::minmax_element(shape.begin(), shape.end());
  const double range = *most - *least;
  for (std::size_t k = 0; k < count; ++k) gain[k] = 1 + size * (shape[k] - middle) / range;
  return gain;
}

// Applies `change`(angle, value) to every value.
template <typename Change>
void for_each_value(std::size_t beamlets, Block& block, const Change& change) {
  for (std::size_t ray = 0; ray < block.rows(); ++ray) {
    for (std::size_t y = 0; y < block.columns(); ++y) {
      float& value = block(ray, y);
      value = static_cast<float>(change(ray / beamlets, static_cast<double>(value)));
    }
  }
}

// Filters a function of the values: the identity, or the transmission.
template <typename Seen, typename ValueOf>
void lag_as(double lag, std::size_t beamlets, const Seen& seen, const ValueOf& value_of, Block& x) {
  if (lag == 0) return;
  const double a = std::exp(-1 / lag);
  for (std::size_t first = 0; first < x.rows(); first += beamlets) {
    for (std::size_t y = 0; y < x.columns(); ++y) {
      double state = seen(static_cast<double>(x(first, y)));
      for (std::size_t j = 0; j < beamlets; ++j) {
        float& value = x(first + j, y);
        state = a * state + (1 - a) * seen(static_cast<double>(value));
        value = static_cast<float>(value_of(state));
      }
    }
  }
}

void require_between(const char* option, double value, double least, double most,
                     const char* of_what) {
  if (value >= least && value <= most) return;
  throw usage_error({"simulate", option, fmt::format("{} from {} to {}", of_what, least, most),
                     fmt::format("{}", value)});
}

}  // namespace

void Defects::validate(int size, int angles, int slices) const {
  require_between("jitter", jitter, 0, size, "beamlets");
  require_between("drift", drift, -size, size, "beamlets");
  require_between("vertical-jitter", vertical_jitter, 0, 1000, "slices");
  require_between("axis-offset", axis_offset, -size, size, "beamlets");
  require_between("angle-error", angle_error, -0.5, 0.5, "a fraction of the step");
  require_between("lag", lag, 0, size, "beamlets");
  require_between("beam-drift", beam_drift, -1, 1, "a fraction of the beam");
  require_between("crosstalk", crosstalk, 0, 1, "a share of the second element's signal");
  if ((jitter != 0 || drift != 0) && angles < 4) {
    throw usage_error({"simulate", jitter != 0 ? "jitter" : "drift",
                       "4 angles or more: of fewer, any shifts are those of an object elsewhere",
                       fmt::format("{}", angles)});
  }
  if (vertical_jitter != 0 && slices < 2) {
    throw usage_error({"simulate", "vertical-jitter", "2 slices or more", "1"});
  }
}

bool Defects::of_scan() const {
  return jitter != 0 || drift != 0 || vertical_jitter != 0 || axis_offset != 0 ||
         angle_error != 0 || lag != 0 || beam_drift != 0;
}

TrueScan true_scan(const Defects& defects, const Geometry& files, std::uint64_t seed) {
  TrueScan scan;
  scan.angle_scale = 1 + defects.angle_error;
  const double first = files.angles.front();
  for (const double angle : files.angles) {
    scan.angles.push_back(first + scan.angle_scale * (angle - first));
  }
  scan.rotation_axis = files.rotation_axis + defects.axis_offset;
  scan.shifts = stage_shifts(defects, scan.angles, seed);
  scan.vertical_shifts = vertical_shifts(defects.vertical_jitter, scan.angles.size(), seed);
  scan.gain = beam_gain(defects.beam_drift, scan.angles.size());
  return scan;
}

Block at_vertical_shifts(const Block& tall, std::size_t beamlets, std::size_t margin,
                         const std::vector<double>& shifts) {
  FIRM_CHECK(tall.columns() > 2 * margin && tall.rows() == shifts.size() * beamlets);
  Block shown(tall.rows(), tall.columns() - 2 * margin);
  for (std::size_t ray = 0; ray < shown.rows(); ++ray) {
    const double shift = shifts[ray / beamlets];
    for (std::size_t y = 0; y < shown.columns(); ++y) {
      const double at = static_cast<double>(y + margin) - shift;
      FIRM_CHECK(at >= 0 && at <= static_cast<double>(tall.columns() - 1));
      const auto below = static_cast<std::size_t>(at);
      const std::size_t above = std::min(below + 1, tall.columns() - 1);
      const double part = at - static_cast<double>(below);
      shown(ray, y) = static_cast<float>((1 - part) * static_cast<double>(tall(ray, below)) +
                                         part * static_cast<double>(tall(ray, above)));
    }
  }
  return shown;
}

void apply_gain(const std::vector<double>& gain, std::size_t beamlets, Block& signal) {
  for_each_value(beamlets, signal, [&](std::size_t k, double value) { return gain[k] * value; });
}

void apply_gain_to_logarithms(const std::vector<double>& gain, std::size_t beamlets, Block& b) {
  for_each_value(beamlets, b,
                 [&](std::size_t k, double value) { return value - std::log(gain[k]); });
}

void apply_lag(double lag, std::size_t beamlets, Block& x) {
  const auto same = [](double value) { return value; };
  lag_as(lag, beamlets, same, same, x);
}

void apply_lag_to_transmission(double lag, std::size_t beamlets, Block& b) {
  lag_as(
      lag, beamlets, [](double value) { return std::exp(-value); },
      [](double state) { return -std::log(state); }, b);
}

}  // namespace firm
