// Prints the table of docs/performance.md: GUPS of the projector and of a plain sparse product. The
// measurements alternate, so that other load on the machine does not change their ratio.
//
//   projector_table [SECONDS] [TURNS]     seconds per measurement and turn (default: 0.3 and 5)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "core/timing.h"
#include "csr.h"
#include "firm/projector.h"

namespace firm {
namespace {

struct Measurement {
  std::string name;
  double updates;
  std::function<void()> work;
  double seconds = 1e300;

  double gups() const { return updates / seconds / 1e9; }
};

// Measures forward and adjoint projection for one size of image.
class Bench {
 public:
  Bench(double budget, int turns) : budget_(budget), turns_(turns) {}

  void run(int side, int angles, bool with_csr) {
    const Geometry g = paper_geometry(side, angles);
    const auto one = make_projector(g, {"auto", 0, 1});
    const auto many = make_projector(g, {"auto", 0, kSlices});
    CsrPair csr;
    if (with_csr) csr = make_csr(g);
    Block x1(g.pixels(), 1), y1(g.rays(), 1), x16(g.pixels(), kSlices), y16(g.rays(), kSlices);
    std::ranges::fill(x1.values(), 1.0f);
    std::ranges::fill(x16.values(), 1.0f);
    const double updates = static_cast<double>(g.rays()) * side;

    std::vector<Measurement> all{
        {"1 slice, forward", updates, [&] { one->forward(x1, y1); }},
        {"1 slice, adjoint", updates, [&] { one->adjoint(y1, x1); }},
        {"16 slices, forward", updates * kSlices, [&] { many->forward(x16, y16); }},
        {"16 slices, adjoint", updates * kSlices, [&] { many->adjoint(y16, x16); }}};
    if (with_csr) {
      const int threads = thread_count(0);
      all.push_back(
          {"csr, forward", updates, [&, threads] { csr.forward.multiply(x1, y1, threads); }});
      all.push_back(
          {"csr, adjoint", updates, [&, threads] { csr.adjoint.multiply(y1, x1, threads); }});
    }
    for (int turn = 0; turn < turns_; ++turn) {
      for (Measurement& m : all) m.seconds = std::min(m.seconds, least_seconds(budget_, m.work));
    }
    report(side, angles, all, with_csr, one->kernel());
  }

 private:
  static constexpr int kSlices = 16;

  static void report(int side, int angles, const std::vector<Measurement>& all, bool with_csr,
                     const std::string& kernel) {
    fmt::print("{} x {} x {} angles, {}, {} threads\n", side, side, angles, kernel,
               thread_count(0));
    for (std::size_t k = 0; k < all.size(); ++k) {
      fmt::print("  {:20} {:7.2f} GUPS  {:9.3f} ms", all[k].name, all[k].gups(),
                 all[k].seconds * 1e3);
      if (with_csr && k < 4)
        fmt::print("  {:5.1f} x csr per slice", all[k].gups() / all[4 + k % 2].gups());
      fmt::print("\n");
    }
    std::fflush(stdout);
  }

  double budget_;
  int turns_;
};

}  // namespace
}  // namespace firm

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::atof(argv[1]) : 0.3;
  const int turns = argc > 2 ? std::atoi(argv[2]) : 5;
  firm::Bench bench(budget, turns);
  bench.run(250, 25, true);
  bench.run(512, 180, true);
  bench.run(1024, 360, false);
  bench.run(2048, 720, false);
}
