// Vertical shifts of a stage: slices by which the object appears further along the rows of the
// detector at each angle.
//
// The mass of a slice, the sum of its values over the beamlets, is the same at all angles. So the
// profile of masses over the slices at an angle is compared with the mean profile of its site:
//
//     v_k <- v_k + clip(sum_i N_ik / max(sum_i D_ik, 0.02 mean), +-1)
//     N_ik = sum_z M' (M - m_k) / s^2 ,   D_ik = sum_z M'^2 / s^2
//
// with m_k resampled at the present shifts. A site sends two numbers for each angle and round. The
// mean shift is the position of the object, and stays 0.
#pragma once

#include <vector>

#include "model/collective.h"

namespace firm {

// Masses of a hosted site: angle * slices + slice.
struct MassProfiles {
  std::size_t scan = 0;  // number among the scans
  std::size_t slices = 0;
  std::vector<double> masses;
};

struct VerticalShifts {
  std::vector<double> shifts;  // slices, one per angle
  double uncertainty = 0;      // root mean square over the angles
};

// `angles`: the number of angles of each scan of the study. Every process calls it; one without
// data finds the same shifts.
std::vector<VerticalShifts> align_vertically(const std::vector<std::size_t>& angles,
                                             std::size_t slices,
                                             const std::vector<MassProfiles>& hosted,
                                             Collective& collective);

}  // namespace firm
