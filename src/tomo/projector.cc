#include "firm/projector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <utility>

#include "core/parallel.h"
#include "firm/error.h"
#include "tomo/kernel_choice.h"
#include "tomo/reference_projector.h"
#include "tomo/strip/strip_kernel.h"
#include "tomo/strip/strip_projector.h"

namespace firm {
namespace {

// Forces a kernel wherever "auto" is asked for, in this process and in those that it starts.
constexpr const char* kKernelVariable = "FIRM_KERNEL";

const StripKernel* find_kernel(const std::string& name) {
  for (const StripKernel* kernel : strip_kernels()) {
    if (name == "auto" || name == kernel->name) return kernel;
  }
  return nullptr;
}

Error unknown_kernel(const std::string& where, const std::string& field, const std::string& name) {
  return usage_error({where, field,
                      fmt::format("auto or one of {}", fmt::join(kernel_names(), ", ")),
                      "'" + name + "'"});
}

std::string forced_kernel() {
  const char* value = std::getenv(kKernelVariable);
  return value == nullptr || *value == '\0' ? "auto" : value;
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

const StripKernel* choose_kernel(const std::string& name) {
  const bool forced = name == "auto";
  const std::string wanted = forced ? forced_kernel() : name;
  if (wanted == "reference") return nullptr;
  const StripKernel* kernel = find_kernel(wanted);
  if (kernel == nullptr) {
    throw forced ? unknown_kernel("environment", kKernelVariable, wanted)
                 : unknown_kernel("projector", "kernel", wanted);
  }
  return kernel;
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
  const StripKernel* kernel = choose_kernel(options.kernel);
  if (kernel == nullptr) return std::make_unique<ReferenceProjector>(geometry);
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
