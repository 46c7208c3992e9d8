// AbsorbingProjectors: makes A diag(T) of one XRF site. All its projectors share one T.
#pragma once

#include "model/projector_factory.h"
#include "tomo/attenuated/attenuated.h"

namespace firm {

class AbsorbingProjectors : public ProjectorFactory {
 public:
  AbsorbingProjectors(const Geometry& geometry, const FluorescencePath& path,
                      const TransmittanceOptions& options)
      : transmittance_(geometry, path, options) {}

  Transmittance& transmittance() { return transmittance_; }

  // As many as T has.
  std::size_t columns() const override { return transmittance_.columns(); }
  std::unique_ptr<Projector> make(const Geometry& geometry,
                                  const ProjectorOptions& options) const override;
  // Pixels that absorption hides from the detector have small columns, and so a small curvature.
  Block curvature(const Geometry& geometry, const ProjectorOptions& options) const override;

 private:
  Transmittance transmittance_;
};

}  // namespace firm
