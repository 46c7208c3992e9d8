#include "model/projector_factory.h"

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

const ProjectorFactory& plain_projectors() {
  static const PlainProjectors factory;
  return factory;
}

}  // namespace firm
