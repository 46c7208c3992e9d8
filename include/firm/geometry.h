// Geometry: the image grid of one site and the rays through it.
//
// Conventions (docs/geometry.md, pinned by tests/tomo/geometry_test.cc):
//   - X to the right, Y up, origin in the middle of the image; image row 0 is on top.
//   - The ray of detector coordinate t at angle theta is { (X, Y) : X cos(theta) + Y sin(theta) = t
//   }.
//   - Beamlet j of angle k has t = (j + 1/2 - rotation_axis - shift_k) * spacing: the rotation axis
//     is given in edge coordinates, so beamlets / 2 is the middle of the detector (as in TomoPy).
//   - Lengths are in cm, angles in radians.
// An entry of the matrix A is the exact length, in cm, of a ray within a pixel. A ray that runs
// exactly along the common edge of two pixels gives half of its length to each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace firm {

// Beamlets are at most this many times as wide as pixels, and pixels as beamlets: beyond, weights
// in fixed point lose their digits, and the memory of a projector its bounds.
inline constexpr double kMostWidthRatio = 1e4;

struct Geometry {
  int image_rows = 0;
  int image_columns = 0;
  double pixel_size = 0;  // cm

  std::vector<double> angles;  // radians, in any order, over any span
  int beamlets = 0;
  double spacing = 0;          // cm, between neighbouring beamlets
  double rotation_axis = 0;    // beamlets, edge coordinates
  std::vector<double> shifts;  // beamlets, one per angle, or empty for none

  std::size_t pixels() const {
    return static_cast<std::size_t>(image_rows) * static_cast<std::size_t>(image_columns);
  }
  // Rays are numbered angle-major: ray = angle * beamlets + beamlet.
  std::size_t rays() const { return angles.size() * static_cast<std::size_t>(beamlets); }

  // Detector coordinate of a beamlet, in cm.
  double coordinate(std::size_t angle, int beamlet) const;

  // Throws firm::Error naming the member, what was expected and what was found.
  void validate() const;
};

// Cosine and sine of an angle. Both are exactly 0 or +-1 if the angle is a multiple of 90 degrees
// up to rounding, so that such rays are exactly parallel to an axis.
struct Direction {
  double cosine;
  double sine;
};
Direction direction(double angle);

// Returns T = `count` angles pi * k / T, k = 0..T-1: 180 degrees, end excluded.
std::vector<double> half_turn(int count);

// Returns the geometry of the paper's experiment: n x n pixels, ceil(sqrt(2) n) beamlets of one
// pixel, rotation axis in the middle, `half_turn(angle_count)`.
Geometry paper_geometry(int n, int angle_count, double pixel_size_cm = 1e-4);

}  // namespace firm
