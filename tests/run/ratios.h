// Errors of joint reconstructions relative to those of each site alone, both without options.
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

inline Ratios joint_over_alone(const std::vector<ObjectOptions>& cases) {
  constexpr double kAbove = 1.05;
  Ratios ratios;
  for (const ObjectOptions& o : cases) {
    const MeasuredObject object = measure_object(o);
    SolveOptions alone;
    alone.method = "pgd";
    const auto joint = relative_errors(reconstruct(object.study).images, object.truth);
    const auto single = relative_errors(reconstruct(object.study, alone).images, object.truth);
    for (std::size_t i = 0; i < joint.size(); ++i, ++ratios.count) {
      const double ratio = joint[i] / single[i];
      const std::string text = fmt::format(
          "{}, {} angles, noise {} ({} at weak sites, {:.2g} at xrt){}, site {}: {:.3f} / {:.3f} = "
          "{:.3f}",
          o.kind, o.angles, o.noise, o.noise * o.weak_noise, o.noise * o.xrt_noise,
          o.estimate ? ", estimated" : "", i, joint[i], single[i], ratio);
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

}  // namespace firm
