// Times forward and adjoint projection, and a plain sparse product, at the sizes of
// docs/performance.md.
//
//   projector_bench --benchmark_filter=512x180 --benchmark_repetitions=10
//
// GUPS = angles x beamlets x side x slices / seconds / 1e9. projector_table prints the table of
// docs/performance.md, with ratios.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/parallel.h"
#include "csr.h"
#include "firm/projector.h"

namespace firm {
namespace {

struct Size {
  int side;
  int angles;
};

double updates(const Geometry& g, std::size_t columns) {
  return static_cast<double>(g.rays()) * g.image_rows * static_cast<double>(columns);
}

void count(benchmark::State& state, double per_iteration) {
  state.counters["GUPS"] =
      benchmark::Counter(per_iteration / 1e9, benchmark::Counter::kIsIterationInvariantRate);
}

void strip(benchmark::State& state, Size size, int columns, bool forward) {
  const Geometry g = paper_geometry(size.side, size.angles);
  const auto n = static_cast<std::size_t>(columns);
  const auto p = make_projector(g, {"auto", 0, columns});
  Block x(g.pixels(), n);
  Block y(g.rays(), n);
  for (float& v : x.values()) v = 1;
  for (auto _ : state) forward ? p->forward(x, y) : p->adjoint(y, x);
  count(state, updates(g, n));
}

void csr(benchmark::State& state, Size size, bool forward) {
  const Geometry g = paper_geometry(size.side, size.angles);
  const CsrPair m = make_csr(g);
  Block x(g.pixels(), 1);
  Block y(g.rays(), 1);
  for (float& v : x.values()) v = 1;
  const int threads = thread_count(0);
  for (auto _ : state) {
    forward ? m.forward.multiply(x, y, threads) : m.adjoint.multiply(y, x, threads);
  }
  count(state, updates(g, 1));
}

void register_all() {
  for (const Size size : {Size{250, 25}, Size{512, 180}, Size{1024, 360}}) {
    for (const bool forward : {true, false}) {
      const std::string what =
          fmt::format("{}x{}/{}", size.side, size.angles, forward ? "forward" : "adjoint");
      for (const int columns : {1, 4, 16}) {
        benchmark::RegisterBenchmark(fmt::format("strip/{}/slices:{}", what, columns).c_str(),
                                     [=](benchmark::State& s) { strip(s, size, columns, forward); })
            ->UseRealTime();
      }
      if (size.side > 512) continue;  // the matrix would take 6 GB
      benchmark::RegisterBenchmark(fmt::format("csr/{}", what).c_str(), [=](benchmark::State& s) {
        csr(s, size, forward);
      })->UseRealTime();
    }
  }
}

}  // namespace
}  // namespace firm

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  firm::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
