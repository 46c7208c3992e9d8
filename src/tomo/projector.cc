#include "firm/projector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/parallel.h"
#include "firm/error.h"
#include "tomo/reference_projector.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_projector.h"

namespace firm {
namespace {

const StripKernel* find_kernel(const std::string& name) {
  for (const StripKernel* kernel : strip_kernels()) {
    if (name == "auto" || name == kernel->name) return kernel;
  }
  return nullptr;
}

}  // namespace

Projector::Projector(Geometry geometry) : geometry_(std::move(geometry)) { geometry_.validate(); }

void Projector::forward(const Block& x, Block& y) {
  FIRM_CHECK(x.rows() == geometry_.pixels());
  FIRM_CHECK(y.rows() == geometry_.rays());
  FIRM_CHECK(x.columns() == y.columns());
  do_forward(x, y);
}

void Projector::adjoint(const Block& y, Block& x) {
  FIRM_CHECK(y.rows() == geometry_.rays());
  FIRM_CHECK(x.rows() == geometry_.pixels());
  FIRM_CHECK(x.columns() == y.columns());
  do_adjoint(y, x);
}

std::unique_ptr<Projector> make_projector(const Geometry& geometry,
                                          const ProjectorOptions& options) {
  geometry.validate();
  if (options.columns < 1) {
    throw usage_error({"projector", "columns", "at least 1", fmt::format("{}", options.columns)});
  }
  if (options.threads < 0) {
    throw usage_error(
        {"projector", "threads", "0 (all) or more", fmt::format("{}", options.threads)});
  }
  if (options.kernel == "reference") return std::make_unique<ReferenceProjector>(geometry);
  const StripKernel* kernel = find_kernel(options.kernel);
  if (kernel == nullptr) {
    throw usage_error({"projector", "kernel",
                       fmt::format("auto or one of {}", fmt::join(kernel_names(), ", ")),
                       "'" + options.kernel + "'"});
  }
  return std::make_unique<StripProjector>(geometry, *kernel, thread_count(options.threads),
                                          options.columns);
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const StripKernel* kernel : strip_kernels()) names.emplace_back(kernel->name);
  names.emplace_back("reference");
  return names;
}

}  // namespace firm
