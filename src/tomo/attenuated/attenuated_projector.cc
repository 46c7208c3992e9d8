#include <fmt/format.h>

#include "core/parallel.h"
#include "firm/error.h"
#include "tomo/attenuated/attenuated.h"
#include "tomo/attenuated/reference_transmittance.h"
#include "tomo/kernel_choice.h"
#include "tomo/strip/strip_projector.h"

namespace firm {

std::unique_ptr<Projector> make_attenuated_projector(const Transmittance& transmittance,
                                                     const ProjectorOptions& options) {
  const std::string& name = transmittance.kernel();
  if (options.kernel != "auto" && options.kernel != name) {
    throw usage_error({"projector", "kernel",
                       fmt::format("auto or {}, the kernel of the transmittance", name),
                       "'" + options.kernel + "'"});
  }
  if (options.threads < 0) {
    throw usage_error(
        {"projector", "threads", "0 (all) or more", fmt::format("{}", options.threads)});
  }
  const StripKernel* kernel = choose_kernel(name);
  if (kernel == nullptr) return std::make_unique<ReferenceAttenuatedProjector>(transmittance);
  return std::make_unique<StripProjector>(transmittance, *kernel, thread_count(options.threads));
}

}  // namespace firm
