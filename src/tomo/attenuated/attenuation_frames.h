// AttenuationFrames: attenuation at two energies, as sweeps read it: in the frames of a layout, on
// its grid, with a margin of zeros.
//
// A sweep goes through the rows of a frame one by one, downwards or upwards. In *steep* sweeps rays
// go at least as far down as across; they read the attenuation of each pixel. In *flat* sweeps they
// read the sums of a row, from the edge where rays enter.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "firm/block.h"
#include "firm/buffer.h"
#include "tomo/attenuated/transmittance_layout.h"

namespace firm {

struct FluorescencePath;

enum class Energy { kIncident, kLine };
enum class RowValues { kPixels, kSumsFromLeft, kSumsFromRight };

// A sweep through a frame in the direction in which rays enter it.
struct Sweep {
  Energy energy;
  RowValues values;
  bool down;      // rows from the first one on
  double across;  // pixels to the right for each row
  double scale;   // from sums of attenuation over pixels to paths: T = 2^-path
  double weight;  // of a detector
};

// The sweeps of an angle: the beam, then detectors.
std::vector<Sweep> make_sweeps(const TransmittanceLayout& layout, const FluorescencePath& path,
                               std::size_t angle);

// Means of the attenuation over the blocks of a layout's grid, in the order of the image; there is
// none outside of the image.
void coarsen(const TransmittanceLayout& layout, const Block& fine, int threads, float* coarse);

class AttenuationFrames {
 public:
  AttenuationFrames() = default;
  AttenuationFrames(const TransmittanceLayout& layout, const FluorescencePath& path);

  void set(const TransmittanceLayout& layout, Energy energy, const Block& attenuation, int threads);

  // Pixel 0 of row 0 of a plane.
  const float* rows(std::size_t frame, const Sweep& sweep, std::size_t plane) const;
  std::size_t row_floats(std::size_t frame) const { return frames_[frame].row_floats; }

  std::size_t bytes() const;

 private:
  struct Frame {
    std::size_t row_floats;
    std::size_t plane_floats;
    std::array<Buffer<float>, 6> values;  // by energy and kind; empty if no sweep needs them
  };
  static std::size_t index(Energy energy, RowValues values) {
    return 3 * static_cast<std::size_t>(energy) + static_cast<std::size_t>(values);
  }

  void set_row(const TransmittanceLayout& layout, std::size_t frame, Energy energy,
               const float* image, std::size_t plane, int row);

  std::size_t inner_ = 1;
  std::vector<Frame> frames_;
  Buffer<float> coarse_;  // attenuation on the grid, in the order of the image
};

}  // namespace firm
