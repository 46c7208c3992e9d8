// Prints how much the total-variation prior with automatic strength changes the distance to the
// truth, over kinds of objects with and without edges: the table of docs/method.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "firm/reconstruct.h"
#include "support/test_objects.h"

namespace firm {
namespace {

// Ratios of the distance with the prior to that without, over sites and cases.
struct Ratios {
  double logarithms = 0;
  double least = 1e300;
  double most = 0;
  int worse = 0;
  int count = 0;

  void add(double ratio) {
    logarithms += std::log(ratio);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
    if (ratio > 1) ++worse;
    ++count;
  }
  double mean() const { return std::exp(logarithms / count); }
};

// Prints a line for each case.
Ratios compare(const std::string& kind, int size) {
  Ratios ratios;
  for (const int angles : {15, 30, 90}) {
    for (const double noise : {0.01, 0.03, 0.1}) {
      const MeasuredObject object =
          measure_object({.kind = kind, .size = size, .angles = angles, .noise = noise, .seed = 2});
      SolveOptions none;
      none.threads = 1;  // start the program once for each kind to use all processors
      SolveOptions tv = none;
      tv.prior.kind = "tv";
      const Solution plain = reconstruct(object.study, none);
      const Solution with = reconstruct(object.study, tv);
      const auto before = relative_errors(plain.images, object.truth);
      const auto after = relative_errors(with.images, object.truth);
      fmt::print("{:<10} {:>3} angles, noise {:<5} strength {:5.2f}, ratios", kind, angles, noise,
                 with.summary.prior->strength);
      for (std::size_t i = 0; i < before.size(); ++i) {
        ratios.add(after[i] / before[i]);
        fmt::print(" {:.2f}", after[i] / before[i]);
      }
      fmt::print(" (without: {:.3f} to {:.3f})\n", std::ranges::min(before),
                 std::ranges::max(before));
      std::fflush(stdout);
    }
  }
  return ratios;
}

int run(int size, std::vector<std::string> kinds) {
  if (kinds.empty()) kinds = prior_object_kinds();
  std::vector<Ratios> all;
  for (const std::string& kind : kinds) all.push_back(compare(kind, size));
  fmt::print("\n| object | mean ratio | least | largest | sites that got worse |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {} of {} |\n", kinds[k], all[k].mean(),
               all[k].least, all[k].most, all[k].worse, all[k].count);
  }
  return 0;
}

}  // namespace
}  // namespace firm

// prior_objects [SIZE [KIND...]]
int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 96;
  return firm::run(size, std::vector<std::string>(argv + std::min(argc, 2), argv + argc));
}
