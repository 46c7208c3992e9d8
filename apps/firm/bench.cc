#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/parallel.h"
#include "core/timing.h"
#include "firm/projector.h"
#include "firm/version.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  int size = 512;
  int angles = 180;
  int slices = 1;
  ProjectorOptions projector;
  double seconds = 1;
  bool json = false;
};

struct Result {
  std::string kernel;
  int threads = 0;
  double setup_seconds = 0;
  double forward_seconds = 0;
  double adjoint_seconds = 0;
  std::size_t scratch_bytes = 0;
  double forward_gups = 0;
  double adjoint_gups = 0;
};

Result measure(const Arguments& a) {
  const Geometry g = paper_geometry(a.size, a.angles);
  ProjectorOptions options = a.projector;
  options.columns = a.slices;
  const Stopwatch watch;
  const auto projector = make_projector(g, options);
  Result r;
  r.setup_seconds = watch.seconds();
  const auto columns = static_cast<std::size_t>(a.slices);
  Block x(g.pixels(), columns);
  Block y(g.rays(), columns);
  std::ranges::fill(x.values(), 1.0f);
  r.kernel = projector->kernel();
  r.threads = thread_count(options.threads);
  r.forward_seconds = least_seconds(a.seconds, [&] { projector->forward(x, y); });
  r.adjoint_seconds = least_seconds(a.seconds, [&] { projector->adjoint(y, x); });
  r.scratch_bytes = projector->bytes();
  const double updates = static_cast<double>(g.rays()) * a.size * a.slices;
  r.forward_gups = updates / r.forward_seconds / 1e9;
  r.adjoint_gups = updates / r.adjoint_seconds / 1e9;
  return r;
}

void print_json(const Arguments& a, const Result& r) {
  const nlohmann::ordered_json j = {{"size", a.size},
                                    {"angles", a.angles},
                                    {"slices", a.slices},
                                    {"threads", r.threads},
                                    {"kernel", r.kernel},
                                    {"forward_gups", r.forward_gups},
                                    {"adjoint_gups", r.adjoint_gups},
                                    {"forward_seconds", r.forward_seconds},
                                    {"adjoint_seconds", r.adjoint_seconds},
                                    {"setup_seconds", r.setup_seconds},
                                    {"matrix_bytes", 0},  // the projector stores no matrix
                                    {"scratch_bytes", r.scratch_bytes},
                                    {"version", kVersion}};
  fmt::print("{}\n", j.dump(2));
}

void run(const Arguments& a) {
  const Result r = measure(a);
  if (a.json) return print_json(a, r);
  fmt::print("{} x {} pixels, {} angles, {} slice{}: {}, {} thread{}\n", a.size, a.size, a.angles,
             a.slices, a.slices == 1 ? "" : "s", r.kernel, r.threads, r.threads == 1 ? "" : "s");
  fmt::print("  forward  {:8.2f} GUPS  {:10.3f} ms\n", r.forward_gups, r.forward_seconds * 1e3);
  fmt::print("  adjoint  {:8.2f} GUPS  {:10.3f} ms\n", r.adjoint_gups, r.adjoint_seconds * 1e3);
  fmt::print("  set-up   {:.3f} ms, {} of scratch, no stored matrix\n", r.setup_seconds * 1e3,
             bytes_text(static_cast<double>(r.scratch_bytes)));
}

}  // namespace

void add_bench(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("bench", "Time the projector on this machine");
  verb->add_option("--size", a->size, "Pixels along a side of the image")
      ->check(CLI::Range(1, 1 << 15))
      ->capture_default_str();
  verb->add_option("--angles", a->angles, "Angles over 180 degrees")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  verb->add_option("--slices", a->slices, "Slices, projected at once")
      ->check(CLI::Range(1, 1 << 12))
      ->capture_default_str();
  verb->add_option("--threads", a->projector.threads, "Threads; 0: all")
      ->check(CLI::Range(0, 1 << 12))
      ->capture_default_str();
  verb->add_option("--kernel", a->projector.kernel,
                   fmt::format("Kernel: auto or one of {}", fmt::join(kernel_names(), ", ")))
      ->capture_default_str();
  verb->add_option("--seconds", a->seconds,
                   "Seconds to spend on each direction; reports the fastest projection")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  verb->add_flag("--json", a->json, "Print the result as JSON");
  verb->footer(
      "GUPS = angles x beamlets x side x slices / seconds / 1e9, where beamlets =\n"
      "ceil(sqrt(2) side).\n"
      "FIRM_KERNEL in the environment forces a kernel for every verb, and for the processes it\n"
      "starts, wherever none is named.\n"
      "\n"
      "Examples:\n"
      "  firm bench --size 250 --angles 25              the geometry of the paper\n"
      "  firm bench --size 1024 --angles 360 --slices 16 --json\n"
      "  firm bench --kernel strip-scalar               without vector instructions");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
