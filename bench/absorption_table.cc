// Prints the table "Self-absorption" of docs/performance.md: times of attenuated products and of
// making T, over those of plain products. Measurements take turns, so that other load on the
// machine does not change their ratio.
//
//   absorption_table [SECONDS] [TURNS] [SIDE] [ANGLES] [THREADS]
//
// Seconds are those of a measurement and turn (default: 0.3, 5, 512, 180 and all threads). With one
// thread, times are those of the processor, which other programs disturb less.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "core/parallel.h"
#include "core/timing.h"
#include "firm/projector.h"
#include "tomo/attenuated/attenuated.h"

namespace firm {
namespace {

struct Measurement {
  std::function<void()> work;
  double seconds = 1e300;
};

// Attenuation that keeps about half of the fluorescence.
Block disc(const Geometry& g, int columns, double attenuation) {
  Block b(g.pixels(), static_cast<std::size_t>(columns));
  for (std::size_t k = 0; k < b.size(); ++k) {
    const std::size_t pixel = k / b.columns();
    const auto width = static_cast<std::size_t>(g.image_columns);
    const double x = (static_cast<double>(pixel % width) + 0.5) / g.image_columns - 0.5;
    const double y = (static_cast<double>(pixel / width) + 0.5) / g.image_rows - 0.5;
    if (x * x + y * y < 0.2) b.data()[k] = static_cast<float>(attenuation);
  }
  return b;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double least_processor_seconds(double budget, const std::function<void()>& work) {
  double least = 1e300;
  const Stopwatch total;
  for (int k = 0; k < 4 || total.seconds() < budget; ++k) {
    const double start = processor_seconds();
    work();
    least = std::min(least, processor_seconds() - start);
  }
  return least;
}

class Bench {
 public:
  Bench(double budget, int turns, int threads)
      : budget_(budget), turns_(turns), threads_(threads) {}

  void run(int side, int angles, int columns) const {
    const Geometry g = paper_geometry(side, angles, 1.0 / side);
    const auto plain = make_projector(g, {"auto", threads_, columns});
    const Block incident = disc(g, columns, 0.5);
    const Block line = disc(g, columns, 1.0);
    Block x = disc(g, columns, 1.0);
    Block y(g.rays(), x.columns());
    std::vector<std::unique_ptr<Transmittance>> transmittances;
    std::vector<std::unique_ptr<Projector>> projectors;
    std::vector<Measurement> all{{[&] { plain->forward(x, y); }}, {[&] { plain->adjoint(y, x); }}};
    for (const int grid : {1, 2, 4}) {
      TransmittanceOptions o;
      o.grid = grid;
      o.columns = columns;
      o.threads = threads_;
      transmittances.push_back(std::make_unique<Transmittance>(g, FluorescencePath{}, o));
      Transmittance* t = transmittances.back().get();
      t->update(incident, line);
      projectors.push_back(make_attenuated_projector(*t, {"auto", threads_, 1}));
      Projector* p = projectors.back().get();
      all.push_back({[&, p] { p->forward(x, y); }});
      all.push_back({[&, p] { p->adjoint(y, x); }});
      all.push_back({[&, t] { t->update(incident, line); }});
    }
    for (int turn = 0; turn < turns_; ++turn) {
      for (Measurement& m : all) {
        const double seconds = threads_ == 1 ? least_processor_seconds(budget_, m.work)
                                             : least_seconds(budget_, m.work);
        m.seconds = std::min(m.seconds, seconds);
      }
    }
    fmt::print("{} x {} x {} angles, {} slices, {}, {} threads; plain {:.2f} / {:.2f} ms\n", side,
               side, angles, columns, plain->kernel(), thread_count(threads_), all[0].seconds * 1e3,
               all[1].seconds * 1e3);
    for (std::size_t k = 0; k < transmittances.size(); ++k) {
      const Measurement* m = &all[2 + 3 * k];
      const double product = 0.5 * (m[0].seconds + m[1].seconds);
      fmt::print(
          "  grid {}: forward {:.2f} ms, {:.2f} plain; adjoint {:.2f} ms, {:.2f} plain; making T "
          "{:.2f} ms, {:.2f} attenuated products; {:.0f} MB\n",
          1 << k, m[0].seconds * 1e3, m[0].seconds / all[0].seconds, m[1].seconds * 1e3,
          m[1].seconds / all[1].seconds, m[2].seconds * 1e3, m[2].seconds / product,
          static_cast<double>(transmittances[k]->bytes()) / 1e6);
    }
    std::fflush(stdout);
  }

 private:
  double budget_;
  int turns_;
  int threads_;
};

}  // namespace
}  // namespace firm

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::atof(argv[1]) : 0.3;
  const int turns = argc > 2 ? std::atoi(argv[2]) : 5;
  const int side = argc > 3 ? std::atoi(argv[3]) : 512;
  const int angles = argc > 4 ? std::atoi(argv[4]) : 180;
  const int threads = argc > 5 ? std::atoi(argv[5]) : 0;
  const firm::Bench bench(budget, turns, threads);
  bench.run(side, angles, 1);
  bench.run(side, angles, 16);
}
