// SiteArrays: the measurements of a site in the memory of the caller, instead of a data file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace firm {

// A view of (frames, slices, beamlets). Strides count floats.
struct ArrayView {
  const float* values = nullptr;
  std::size_t frames = 0;
  std::size_t slices = 0;
  std::size_t beamlets = 0;
  std::ptrdiff_t frame_stride = 0;
  std::ptrdiff_t slice_stride = 0;
  std::ptrdiff_t beamlet_stride = 1;

  bool empty() const { return frames == 0; }
};

struct SiteArrays {
  ArrayView data;             // one frame per angle
  ArrayView white = {};       // frames without the object; empty: none
  ArrayView dark = {};        // frames without the beam; empty: none
  std::vector<double> theta;  // degrees, one per frame of `data`
  std::string units;          // of `data`: "g/cm^2", "counts", or "1" after the logarithm
  // Keeps the memory of the views alive; may be null if the caller does so.
  std::shared_ptr<const void> owner = {};
};

}  // namespace firm
