// Prints the table "Self-absorption" of docs/performance.md: times of attenuated products and of
// making T, over those of plain products. Measurements take turns, so that other load on the
// machine does not change their ratio.
//
//   absorption_table [SECONDS] [TURNS] [SIDE] [ANGLES]   seconds per measurement and turn
//                                                       (default: 0.3, 5, 512 and 180)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
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

class Bench {
 public:
  Bench(double budget, int turns) : budget_(budget), turns_(turns) {}

  void run(int side, int angles, int columns) const {
    const Geometry g = paper_geometry(side, angles, 1.0 / side);
    const auto plain = make_projector(g, {"auto", 0, columns});
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
      transmittances.push_back(std::make_unique<Transmittance>(g, FluorescencePath{}, o));
      Transmittance* t = transmittances.back().get();
      t->update(incident, line);
      projectors.push_back(make_attenuated_projector(*t));
      Projector* p = projectors.back().get();
      all.push_back({[&, p] { p->forward(x, y); }});
      all.push_back({[&, p] { p->adjoint(y, x); }});
      all.push_back({[&, t] { t->update(incident, line); }});
    }
    for (int turn = 0; turn < turns_; ++turn) {
      for (Measurement& m : all) m.seconds = std::min(m.seconds, least_seconds(budget_, m.work));
    }
    fmt::print("{} x {} x {} angles, {} slices, {}, {} threads; plain {:.2f} / {:.2f} ms\n", side,
               side, angles, columns, plain->kernel(), thread_count(0), all[0].seconds * 1e3,
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
};

}  // namespace
}  // namespace firm

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::atof(argv[1]) : 0.3;
  const int turns = argc > 2 ? std::atoi(argv[2]) : 5;
  const int side = argc > 3 ? std::atoi(argv[3]) : 512;
  const int angles = argc > 4 ? std::atoi(argv[4]) : 180;
  const firm::Bench bench(budget, turns);
  bench.run(side, angles, 1);
  bench.run(side, angles, 16);
}
