#include "run/common_rays.h"

#include "core/parallel.h"
#include "physics/noise.h"
#include "solve/methods/nnls.h"

namespace firm {
namespace {

constexpr int kSteps = 100;

bool counts(const SiteData& data, std::size_t k) {
  return data.weights.rows() == 0 || data.weights.data()[k] > 0;
}

// Returns ||A w - b||^2 over values that are not masked.
double residual_squared(const SiteData& data, const Block& product) {
  double sum = 0;
  for (std::size_t k = 0; k < product.size(); ++k) {
    if (!counts(data, k)) continue;
    const double r = static_cast<double>(product.data()[k]) - data.values.data()[k];
    sum += r * r;
  }
  return sum;
}

// Replaces masked values by the projection of the image, so that they have no influence.
void fill_masked(const SiteData& data, const Block& product, Block& target) {
  for (std::size_t k = 0; k < product.size(); ++k) {
    if (!counts(data, k)) target.data()[k] = product.data()[k];
  }
}

Block image_of(const Site& site, const SiteData& data, int threads) {
  const std::size_t slices = data.values.columns();
  Operators operators({&site.geometry}, slices, threads);
  Nnls nnls(site.geometry.pixels(), slices, true, threads);
  nnls.add_term(operators, std::vector<double>(slices, 1.0));
  Block& target = nnls.target(0).front();
  operators.put(data.values, 0, nnls.target(0));
  for (std::size_t z = 0; z < slices; ++z) {
    nnls.set_step(z, 1 / (2 * operators.lambda_max().front()));
  }
  const double noise =
      estimate_noise(data.values, data.weights, static_cast<std::size_t>(site.geometry.beamlets));
  std::size_t used = 0;
  for (std::size_t k = 0; k < data.values.size(); ++k) used += counts(data, k) ? 1 : 0;
  // Half of the noise: the estimate counts edges as noise, too, and fitted noise hardly shows along
  // other rays.
  const double level = static_cast<double>(used) * noise * noise / 4;
  for (int step = 0; step < kSteps; ++step) {
    const Block& product = nnls.product(0).front();
    if (residual_squared(data, product) <= level) break;
    if (data.weights.rows() > 0) {
      fill_masked(data, product, target);
      nnls.targets_changed();
    }
    nnls.step();
  }
  nnls.finish_steps();
  return nnls.images();
}

}  // namespace

RayValues values_along(const Site& site, const SiteData& data, const Geometry& rays, int threads) {
  if (same_rays(site.geometry, rays)) return {data.values, data.weights, true};
  const int used = thread_count(threads);
  const Block image = image_of(site, data, used);
  RayValues along{Block(rays.rays(), image.columns()), {}, false};
  make_projector(rays, {"auto", used, static_cast<int>(image.columns())})
      ->forward(image, along.values);
  return along;
}

}  // namespace firm
