#include "run/memory/run_needs.h"

#include <algorithm>

#include "report/pictures/reconstruction_files.h"
#include "run/report/run_report.h"

namespace firm {
namespace {

// The program itself with its libraries, and arrays that are rounded up to pages of 2 MiB.
constexpr std::uint64_t kProgram = std::uint64_t{64} << 20;
constexpr std::uint64_t kColumns = 16;  // that a projector works on at a time

// What is in memory when it is fullest, which is when the certificate is made: the arrays of
// Problem, Solver, certify and of the method, as their constructors make them.
class Holdings {
 public:
  Holdings(const Study& study, bool truth)
      : sites_(study.sites.size()),
        images_(sites_ + (study.other ? 1 : 0)),
        common_(study.common_geometry()),
        xrt_rays_(study.xrt().geometry.rays()) {
    for (const Site& site : study.sites) {
      rays_ += site.geometry.rays();
      weighted_ = weighted_ || site.weighted_values;
    }
    // Images of the solution, their gradient, truth; mu, its share, D w; columns by geometry.
    image_count = (truth ? 3 : 2) * images_ + 3 + (gathered() ? images_ : 0);
    // Data and residuals; the share of XRT, and its gradient's.
    ray_count = 2 * rays_ + 2 * xrt_rays_;
    if (weighted_) ray_count += 2 * rays_;  // roots of the weights, and scratch
    projectors = groups(sites_) + 1;
  }

  void add(const SolveOptions& options);

  std::uint64_t image_count = 0;  // images of one slice
  std::uint64_t ray_count = 0;    // values of sinograms of one slice
  std::uint64_t projectors = 0;

 private:
  bool gathered() const { return !common_ || images_ > sites_; }
  std::size_t groups(std::size_t sites) const { return common_ ? 1 : sites; }
  void add_firm_ds();

  std::uint64_t sites_;
  std::uint64_t images_;
  bool common_;
  bool weighted_ = false;
  std::uint64_t xrt_rays_;
  std::uint64_t rays_ = 0;
};

// All images but XRT's are solved for: each has a term on the rays of XRT, and with geometries that
// differ one on its own.
void Holdings::add_firm_ds() {
  const std::uint64_t members = images_ - 1;
  const std::uint64_t own_rays = rays_ - xrt_rays_;
  const bool one_term = common_ && !weighted_;
  image_count += 4 * members + images_ + (gathered() ? members : 0) + (one_term ? 0 : members);
  ray_count += 4 * members * xrt_rays_ + (one_term ? 1 : 5) * own_rays + 2 * xrt_rays_;
  if (weighted_) ray_count += 2 * own_rays + 2 * xrt_rays_;
  projectors += groups(sites_ - 1) + 1;
}

void Holdings::add(const SolveOptions& o) {
  if (o.method == "firm-ds") add_firm_ds();
  if (o.method == "firm" || o.method == "firm+") {
    image_count += 2 * images_ + (o.method == "firm" ? 1 : 4);
    ray_count += rays_;
  } else if (o.method == "fedpgd") {
    image_count += (o.fedpgd.accelerated ? 4 : 3) * images_;
    ray_count += (o.fedpgd.accelerated ? 3 : 1) * rays_;
  } else if (o.method == "pgd") {
    image_count += (o.pgd.accelerated ? 3 : 2) * images_;
    ray_count += 5 * rays_;
  } else if (o.method == "plsqr") {
    image_count += 5 * images_;
    ray_count += 2 * rays_;
  }
}

}  // namespace

std::uint64_t RunNeeds::bytes(std::size_t slices) const {
  const std::uint64_t solving =
      fixed + slices * per_slice + std::min(kColumns, slices * images) * per_column;
  return std::max(solving, ending);
}

RunNeeds run_needs(const SolveOptions& options, const Study& study, bool truth) {
  Holdings holdings(study, truth);
  holdings.add(options);
  std::uint64_t most_rays = 0;
  for (const Site& site : study.sites) {
    most_rays = std::max<std::uint64_t>(most_rays, site.geometry.rays());
  }
  RunNeeds needs;
  needs.fixed = kProgram + memory_for_pictures(study.pixels());
  needs.per_slice = sizeof(float) * (holdings.image_count * study.pixels() + holdings.ray_count);
  needs.images = study.sites.size() + (study.other ? 1 : 0);
  needs.per_column = sizeof(float) * holdings.projectors * (study.pixels() + most_rays);
  // Images with the true ones; data with residuals.
  std::uint64_t rays = 0;
  for (const Site& site : study.sites) rays += site.geometry.rays();
  needs.ending = kProgram + memory_for_report(study.slices * 2 * needs.images * study.pixels(),
                                              study.slices * 2 * rays);
  return needs;
}

}  // namespace firm
