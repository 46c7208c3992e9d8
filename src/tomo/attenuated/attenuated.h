// Self-absorption of fluorescence: the attenuated projector.
//
//     b(theta, t) = sum over pixels x of  A[ray, x] T(theta, x) w(x)
//     T(theta, x) = exp(-path of the beam to x) * sum_d weight_d exp(-path from x towards d)
//
// The first path is through the attenuation at the energy of the incident beam, the second through
// that at the energy of the line. T depends on angle and pixel, not on the ray. docs/geometry.md,
// "Beam and detector of fluorescence", has a drawing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firm/block.h"
#include "firm/buffer.h"
#include "firm/fluorescence.h"
#include "firm/geometry.h"
#include "firm/projector.h"
#include "tomo/attenuated/attenuation_frames.h"
#include "tomo/attenuated/sweep.h"
#include "tomo/attenuated/transmittance_layout.h"

namespace firm {

struct StripKernel;

struct TransmittanceOptions {
  // T is made and kept for blocks of grid x grid pixels: 1, 2 or 4; 0: by the size of the image.
  int grid = 1;
  // Bytes of T that may be held; 0: no limit. If all angles need more, every product makes T anew,
  // some angles at a time, in a buffer of each projector. Results have the same bytes.
  std::size_t max_bytes = 0;
  int columns = 1;
  int threads = 0;  // 0: all
  std::string kernel = "auto";
};

// T of all angles and columns. T is a fixed-point number with unit 2^-15, so that 1 is exact: where
// nothing is absorbed, the attenuated projector has the bytes of the plain one.
class Transmittance {
 public:
  // Before the first update(), T is 1. Throws firm::Error for wrong options.
  Transmittance(const Geometry& geometry, FluorescencePath path,
                const TransmittanceOptions& options);
  ~Transmittance();
  Transmittance(const Transmittance&) = delete;
  Transmittance& operator=(const Transmittance&) = delete;

  // Takes the attenuation, in 1/cm, at the energies of the beam and of the line: pixels x columns.
  // No projector of this may run meanwhile.
  void update(const Block& incident, const Block& line);

  // T at one angle, pixels x columns. With a coarser grid, all pixels of a block have the same T.
  Block image(std::size_t angle) const;

  // Bytes of memory that this holds, without the buffers of projectors.
  std::size_t bytes() const;
  // An upper bound of it and of the buffer of one projector, for the kernel "auto" and all threads.
  static std::size_t estimate_bytes(const Geometry& geometry, int columns, int grid,
                                    std::size_t max_bytes);

  const Geometry& geometry() const { return layout_.geometry(); }
  const FluorescencePath& path() const { return path_; }
  std::size_t columns() const { return layout_.columns(); }
  const std::string& kernel() const { return kernel_name_; }
  const TransmittanceLayout& layout() const { return layout_; }

  // T of an angle in the layout; null if T is made in every product.
  const std::uint16_t* held(std::size_t angle) const;
  // Angles that a projector makes at once; 0 if all are held.
  std::size_t band() const { return band_; }
  // Makes T of some angles, one after another in `out`, layout().view_elements() apart.
  void make(const std::vector<std::size_t>& angles, SweepScratch& scratch,
            std::uint16_t* out) const;

 private:
  void make_reference(std::size_t angle, std::uint16_t* out) const;

  FluorescencePath path_;
  int threads_;
  std::string kernel_name_;
  const StripKernel* kernel_;  // null: the reference
  TransmittanceLayout layout_;
  std::size_t band_ = 0;
  AttenuationFrames frames_;
  std::unique_ptr<SweepScratch> scratch_;
  Buffer<std::uint16_t> held_;
  Block incident_;  // of the reference
  Block line_;
};

// Makes a projector that multiplies by T first (adjoint: last). `transmittance` must outlive it;
// its updates count at once. Blocks have its number of columns. The kernel is that of
// `transmittance`: options.kernel is "auto" or the same name; options.columns does not matter.
std::unique_ptr<Projector> make_attenuated_projector(const Transmittance& transmittance,
                                                     const ProjectorOptions& options = {});

}  // namespace firm
