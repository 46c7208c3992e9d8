#include "model/projector_factory.h"

#include "firm/norm.h"

namespace firm {
namespace {

class PlainProjectors : public ProjectorFactory {
 public:
  std::unique_ptr<Projector> make(const Geometry& geometry,
                                  const ProjectorOptions& options) const override {
    return make_projector(geometry, options);
  }
};

}  // namespace

double ProjectorFactory::lambda_max(const Geometry& geometry,
                                    const ProjectorOptions& options) const {
  ProjectorOptions one = options;
  one.columns = 1;
  return spectral_norm(*make(geometry, one)).lambda_max;
}

const ProjectorFactory& plain_projectors() {
  static const PlainProjectors factory;
  return factory;
}

}  // namespace firm
