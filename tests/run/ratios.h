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
};

inline Ratios joint_over_alone(const std::vector<ObjectOptions>& cases) {
  Ratios ratios;
  std::size_t count = 0;
  for (const ObjectOptions& o : cases) {
    const MeasuredObject object = measure_object(o);
    SolveOptions alone;
    alone.method = "pgd";
    const auto joint = relative_errors(reconstruct(object.study).images, object.truth);
    const auto single = relative_errors(reconstruct(object.study, alone).images, object.truth);
    for (std::size_t i = 0; i < joint.size(); ++i, ++count) {
      const double ratio = joint[i] / single[i];
      ratios.mean += ratio;
      if (ratio <= ratios.worst) continue;
      ratios.worst = ratio;
      ratios.worst_case = fmt::format("{}, {} angles, noise {}, site {}: {:.3f} / {:.3f}", o.kind,
                                      o.angles, o.noise, i, joint[i], single[i]);
    }
  }
  ratios.mean /= static_cast<double>(count);
  return ratios;
}

}  // namespace firm
