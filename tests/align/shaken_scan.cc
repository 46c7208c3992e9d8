#include "align/shaken_scan.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "align/align_state.h"
#include "firm/projector.h"
#include "sim/phantom.h"

namespace firm {
namespace {

std::vector<double> nominal_angles(const ShakenOptions& o, std::mt19937_64& random) {
  std::vector<double> angles;
  const int missing = o.gap ? o.angles / 5 : 0;
  for (int k = 0; k < o.angles; ++k) {
    const int step = k < o.angles / 2 ? k : k + missing;
    angles.push_back(o.span * std::numbers::pi / 180 * step / (o.angles + missing));
  }
  if (o.repeated) angles.back() = angles.front();
  if (o.shuffled) std::shuffle(angles.begin(), angles.end(), random);
  return angles;
}

// Means of the two rays of each beamlet.
Block halved(const Block& fine) {
  Block out(fine.rows() / 2, 1);
  for (std::size_t ray = 0; ray < out.rows(); ++ray) {
    const std::size_t first = 2 * ray;
    out(ray, 0) = (fine(first, 0) + fine(first + 1, 0)) / 2;
  }
  return out;
}

Block coarse_image(const Block& fine, int n) {
  const auto side = static_cast<std::size_t>(n);
  Block out(side * side, 1);
  for (std::size_t r = 0; r < side; ++r) {
    for (std::size_t c = 0; c < side; ++c) {
      double sum = 0;
      for (const std::size_t k : {0, 1}) {
        for (const std::size_t m : {0, 1}) sum += fine((2 * r + k) * 2 * side + 2 * c + m, 0);
      }
      out(r * side + c, 0) = static_cast<float>(sum / 4);
    }
  }
  return out;
}

void add_lag(double lag, std::size_t beamlets, Block& b) {
  if (lag <= 0) return;
  const auto a = static_cast<float>(std::exp(-1 / lag));
  for (std::size_t first = 0; first < b.rows(); first += beamlets) {
    for (std::size_t j = 1; j < beamlets; ++j) {
      b(first + j, 0) = a * b(first + j - 1, 0) + (1 - a) * b(first + j, 0);
    }
  }
}

}  // namespace

ShakenScan shake(const ShakenOptions& o) {
  std::mt19937_64 random(o.seed);
  ShakenScan scan;
  const Phantom phantom = o.preset == "rod"      ? rod_phantom(2 * o.size, 1)
                          : o.preset == "shapes" ? shapes_phantom(2 * o.size, 1)
                                                 : paper_phantom(2 * o.size, 1);
  Geometry g = paper_geometry(o.size, o.angles);
  g.beamlets += 2 * static_cast<int>(std::ceil(o.jitter + o.drift + std::abs(o.axis_offset)));
  g.beamlets -= 2 * o.cut;
  g.rotation_axis = g.beamlets / 2.0;
  g.angles = nominal_angles(o, random);
  std::uniform_real_distribution<double> uniform(-o.jitter, o.jitter);
  for (int k = 0; k < o.angles; ++k) {
    scan.shifts.push_back(uniform(random) + o.drift * (k / (o.angles - 1.0) - 0.5));
  }
  std::vector<double> angles = g.angles;
  for (double& a : angles) a = g.angles.front() + o.angle_scale * (a - g.angles.front());
  remove_position(angles, true, scan.shifts);
  scan.axis = g.rotation_axis + o.axis_offset;

  Geometry fine = g;
  fine.image_rows *= 2;
  fine.image_columns *= 2;
  fine.pixel_size /= 2;
  fine.beamlets *= 2;
  fine.spacing /= 2;
  fine.angles = angles;
  fine.rotation_axis = 2 * scan.axis;
  for (const double s : scan.shifts) fine.shifts.push_back(2 * s);
  const auto projector = make_projector(fine);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < phantom.images.size(); ++i) {
    Block rays(fine.rays(), 1);
    projector->forward(phantom.images[i], rays);
    Block b = halved(rays);
    const bool xrt = i + 1 == phantom.images.size();
    if (xrt) add_lag(o.lag, static_cast<std::size_t>(g.beamlets), b);
    const float largest = *std::ranges::max_element(b.values());
    const double s = (i < o.weak.size() ? o.weak[i] : o.noise) * static_cast<double>(largest);
    for (float& value : b.values()) value += static_cast<float>(s * normal(random));
    Site site;
    site.name = phantom.titles[i];
    site.scan = "A";
    site.kind = xrt ? SiteKind::kXrt : SiteKind::kXrf;
    site.coefficient = xrt ? 0 : phantom.coefficients[i];
    site.sigma = s;
    site.geometry = g;
    scan.study.add(site, std::move(b));
    scan.truth.push_back(coarse_image(phantom.images[i], o.size));
  }
  return scan;
}

double rms_error(const ShakenScan& scan, std::vector<double> found) {
  for (std::size_t k = 0; k < found.size(); ++k) found[k] -= scan.shifts[k];
  remove_position(scan.study.sites.front().geometry.angles, true, found);
  double sum = 0;
  for (const double e : found) sum += e * e;
  return std::sqrt(sum / static_cast<double>(found.size()));
}

}  // namespace firm
