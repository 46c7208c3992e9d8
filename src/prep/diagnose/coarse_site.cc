#include "prep/diagnose/coarse_site.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "firm/projector.h"
#include "physics/noise.h"

namespace firm {
namespace {

constexpr double kLeastNoise = 1e-3;  // of the largest value

constexpr double kBeamletsPerPixel = 4;  // at most

// At most `most` angles, sorted and evenly spaced.
std::vector<std::size_t> some_angles(const std::vector<double>& angles, std::size_t most) {
  std::vector<std::size_t> order(angles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return angles[k]; });
  std::vector<std::size_t> chosen;
  for (const std::size_t k : evenly_spaced(order.size(), most)) chosen.push_back(order[k]);
  return chosen;
}

// Square pixels of the width of a beamlet, or of the image's own if they are larger, and so many
// that they cover the image.
void coarsen_image(const Geometry& fine, double spacing, int most, Geometry& g) {
  const double width = fine.image_columns * fine.pixel_size;
  const double height = fine.image_rows * fine.pixel_size;
  const double least = std::max(width, height) / most;
  const double pixel = std::max({spacing, fine.pixel_size, least});
  const auto columns = static_cast<int>(std::ceil(width / pixel - 1e-9));
  g.image_columns = std::max(1, columns);
  g.pixel_size = width / g.image_columns;
  g.image_rows = std::max(1, static_cast<int>(std::ceil(height / g.pixel_size - 1e-9)));
}

std::unique_ptr<Projector> projector_of(const Geometry& g, std::size_t columns) {
  ProjectorOptions options;
  options.columns = static_cast<int>(columns);
  options.threads = 1;
  return make_projector(g, options);
}

}  // namespace

std::vector<std::size_t> evenly_spaced(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t n = std::min(count, most);
  for (std::size_t k = 0; k < n; ++k) chosen.push_back((2 * k + 1) * count / (2 * n));
  return chosen;
}

double noise_of(const Site& site, const SiteData& data) {
  double largest = 0;
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    if (data.weights.rows() > 0 && data.weights.data()[k] <= 0) continue;
    largest = std::max(largest, std::abs(static_cast<double>(data.values.data()[k])));
  }
  const double noise =
      estimate_noise(data.values, data.weights, static_cast<std::size_t>(site.geometry.beamlets));
  return largest > 0 ? std::max(noise, kLeastNoise * largest) : 1;
}

void CoarseSite::resize_image(double reach) {
  const double side = std::ceil(2 * reach / geometry.pixel_size);
  geometry.image_rows = geometry.image_columns = std::max(1, static_cast<int>(side));
}

CoarseSite coarse_site(const Site& site, const SiteData& data, double sigma,
                       const CoarseLimits& limits) {
  const Geometry& fine = site.geometry;
  const auto beamlets = static_cast<std::size_t>(fine.beamlets);
  // An image much larger than its rays reach has wide pixels, and a product takes as long as each
  // of them has beamlets.
  const double pixel =
      std::max(fine.image_rows, fine.image_columns) * fine.pixel_size / limits.pixels;
  const std::size_t n =
      std::clamp(static_cast<std::size_t>(std::ceil(pixel / (kBeamletsPerPixel * fine.spacing))),
                 (beamlets + limits.beamlets - 1) / limits.beamlets, beamlets);
  const std::size_t coarse = std::max<std::size_t>(1, beamlets / n);
  const std::vector<std::size_t> angles = some_angles(fine.angles, limits.angles);
  const std::vector<std::size_t> slices = evenly_spaced(data.values.columns(), limits.slices);
  CoarseSite result;
  result.binned = static_cast<double>(n);
  Geometry& g = result.geometry;
  g.beamlets = static_cast<int>(coarse);
  g.spacing = fine.spacing * static_cast<double>(n);
  g.rotation_axis = fine.rotation_axis / static_cast<double>(n);
  for (const std::size_t a : angles) {
    g.angles.push_back(fine.angles[a]);
    if (!fine.shifts.empty()) g.shifts.push_back(fine.shifts[a] / static_cast<double>(n));
  }
  coarsen_image(fine, g.spacing, limits.pixels, g);
  result.values = Block(g.rays(), slices.size());
  result.precision = Block(g.rays(), slices.size());
  const bool weighted = data.weights.rows() > 0;
  for (std::size_t ray = 0; ray < g.rays(); ++ray) {
    const std::size_t first = angles[ray / coarse] * beamlets + ray % coarse * n;
    for (std::size_t z = 0; z < slices.size(); ++z) {
      double sum = 0;
      double weights = 0;
      for (std::size_t k = first; k < first + n; ++k) {
        const double w = weighted ? static_cast<double>(data.weights(k, slices[z])) : 1;
        sum += w * static_cast<double>(data.values(k, slices[z]));
        weights += w;
      }
      if (!(weights > 0)) continue;
      result.values(ray, z) = static_cast<float>(sum / weights);
      result.precision(ray, z) = static_cast<float>(weights / (sigma * sigma));
    }
  }
  return result;
}

Block project(const Geometry& geometry, const Block& image) {
  Block rays(geometry.rays(), image.columns());
  projector_of(geometry, image.columns())->forward(image, rays);
  return rays;
}

CoarseFit fit_coarse(const CoarseSite& site, int steps) {
  const Geometry& g = site.geometry;
  const std::size_t columns = site.values.columns();
  const auto a = projector_of(g, columns);
  Block e(g.rays(), columns);
  Block w(g.pixels(), columns);
  Block y(g.pixels(), columns);
  Block gradient(g.pixels(), columns);
  Block majorizer(g.pixels(), columns);  // A^T P A 1
  std::ranges::fill(y.values(), 1.0f);
  a->forward(y, e);
  // Precisions relative to the largest one keep the numbers within the range of float.
  const float top = std::max(*std::ranges::max_element(site.precision.values()), 1e-30f);
  for (std::size_t k = 0; k < e.size(); ++k) e.data()[k] *= site.precision.data()[k] / top;
  a->adjoint(e, majorizer);
  const float least = 1e-6f * *std::ranges::max_element(majorizer.values());
  std::ranges::fill(y.values(), 0.0f);

  double energy = 0;
  double count = 0;
  double chi = 0;
  for (std::size_t k = 0; k < e.size(); ++k) {
    const auto b = static_cast<double>(site.values.data()[k]);
    energy += static_cast<double>(site.precision.data()[k]) * b * b;
    count += site.precision.data()[k] > 0 ? 1 : 0;
  }
  double t = 1;
  for (int step = 0; step <= steps; ++step) {
    const bool last = step == steps;
    a->forward(last ? w : y, e);
    chi = 0;
    for (std::size_t k = 0; k < e.size(); ++k) {
      const float difference = site.values.data()[k] - e.data()[k];
      const float weighted = site.precision.data()[k] / top * difference;
      chi += static_cast<double>(weighted) * static_cast<double>(difference);
      e.data()[k] = weighted;
    }
    if (last) break;
    a->adjoint(e, gradient);
    const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    const auto momentum = static_cast<float>((t - 1) / next);
    for (std::size_t k = 0; k < w.size(); ++k) {
      const float d = majorizer.data()[k];
      const float move = d > least ? gradient.data()[k] / d : 0;
      const float better = std::max(0.0f, y.data()[k] + move);
      y.data()[k] = better + momentum * (better - w.data()[k]);
      w.data()[k] = better;
    }
    t = next;
  }
  chi *= static_cast<double>(top);
  CoarseFit result;
  result.image = std::move(w);
  if (energy > 0) result.misfit = chi / energy;
  if (count > 0) {
    result.fit = std::sqrt(std::max(0.0, 1 + (chi / count - 1) / site.binned));
  }
  return result;
}

}  // namespace firm
