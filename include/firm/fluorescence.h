// Self-absorption: how the fluorescence of an XRF site is weakened on its way to the detector.
//
//     b(theta, t) = sum_x A[ray, x] T(theta, x) w(x)
//     T(theta, x) = exp(- path from the source to x of mu(E0))
//                   * sum_d weight_d exp(- path from x towards detector direction d of mu(E_line))
//
// docs/geometry.md has the directions, docs/method.md the method.
#pragma once

#include <vector>

namespace firm {

// Directions of beam and detector, relative to the angle theta of the scan.
struct FluorescencePath {
  struct Direction {
    double angle = 0;   // radians, counter-clockwise from (cos theta, sin theta), which points to
                        // larger beamlets; pi points to smaller ones
    double weight = 1;  // part of the fluorescence that goes there; they add up to 1

    bool operator==(const Direction&) const = default;
  };
  int beam = 1;  // 1: photons travel along (-sin theta, cos theta); -1: against it
  std::vector<Direction> detectors = {{}};

  // Throws firm::Error naming the member, what was expected and what was found.
  void validate() const;
  bool operator==(const FluorescencePath&) const = default;
};

// Self-absorption at one XRF site.
struct Fluorescence {
  double incident_energy = 0;  // keV, E0
  double line_energy = 0;      // keV, E_line
  // mu(E) = sum_v coefficient_v w_v over all images of the study, in this order: the XRF sites,
  // `other` where the study has it, XRT. cm^2/g for XRF, no unit for the others.
  std::vector<double> incident = {};
  std::vector<double> line = {};
  FluorescencePath path = {};

  bool operator==(const Fluorescence&) const = default;
};

}  // namespace firm
