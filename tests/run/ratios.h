// Errors of one kind of reconstruction relative to those of another.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "firm/reconstruct.h"
#include "support/test_objects.h"

namespace firm {

struct Ratios {
  double mean = 0;  // over sites and cases
  double worst = 0;
  std::string worst_case;
  std::size_t count = 0;
  std::vector<std::string> above;  // images above 1.05
};

inline Ratios error_ratios(const std::vector<ObjectOptions>& cases, const SolveOptions& one,
                           const SolveOptions& other) {
  constexpr double kAbove = 1.05;
  Ratios ratios;
  for (const ObjectOptions& o : cases) {
    const MeasuredObject object = measure_object(o);
    const auto errors = relative_errors(reconstruct(object.study, one).images, object.truth);
    const auto others = relative_errors(reconstruct(object.study, other).images, object.truth);
    for (std::size_t i = 0; i < errors.size(); ++i, ++ratios.count) {
      const double ratio = errors[i] / others[i];
      const std::string text = fmt::format(
          "{}, {} angles, noise {} ({} at weak sites, {:.2g} at xrt){}, site {}: {:.3f} / {:.3f} = "
          "{:.3f}",
          o.kind, o.angles, o.noise, o.noise * o.weak_noise, o.noise * o.xrt_noise,
          o.estimate ? ", estimated" : "", i, errors[i], others[i], ratio);
      ratios.mean += ratio;
      if (ratio > kAbove) ratios.above.push_back(text);
      if (ratio <= ratios.worst) continue;
      ratios.worst = ratio;
      ratios.worst_case = text;
    }
  }
  ratios.mean /= static_cast<double>(ratios.count);
  return ratios;
}

// Joint reconstructions over those of each site alone, both without options.
inline Ratios joint_over_alone(const std::vector<ObjectOptions>& cases) {
  SolveOptions alone;
  alone.method = "pgd";
  return error_ratios(cases, {}, alone);
}

// With a total-variation prior of automatic strength over those without options.
inline Ratios prior_over_none(const std::vector<ObjectOptions>& cases) {
  SolveOptions tv;
  tv.prior.kind = "tv";
  return error_ratios(cases, tv, {});
}

}  // namespace firm
