#include "tomo/attenuated/reference_transmittance.h"

#include <algorithm>
#include <cmath>

#include "firm/error.h"
#include "tomo/siddon.h"

namespace firm {
namespace {

struct Entry {
  std::size_t pixel;
  double length;  // cm
};

// The pixels between the centre of a pixel and the border, in a direction (right, up) of length 1.
std::vector<Entry> walk(const Geometry& g, int row, int column, double right, double up) {
  const double u0 = column + 0.5;
  const double v0 = row + 0.5;
  const double dv = -up;
  std::vector<double> at{0};
  const auto cross = [&](double origin, double slope, int size) {
    double last = 1e300;
    for (int k = 0; k <= size && slope != 0; ++k) {
      const double t = (k - origin) / slope;
      if (t <= 0) continue;
      at.push_back(t);
      last = k == 0 || k == size ? t : last;
    }
    return last;
  };
  const double border = std::min(cross(u0, right, g.image_columns), cross(v0, dv, g.image_rows));
  std::sort(at.begin(), at.end());
  std::vector<Entry> entries;
  for (std::size_t k = 0; k + 1 < at.size() && at[k + 1] <= border; ++k) {
    const double middle = 0.5 * (at[k] + at[k + 1]);
    const int j = std::clamp(static_cast<int>(u0 + middle * right), 0, g.image_columns - 1);
    const int i = std::clamp(static_cast<int>(v0 + middle * dv), 0, g.image_rows - 1);
    entries.push_back({static_cast<std::size_t>(i) * static_cast<std::size_t>(g.image_columns) +
                           static_cast<std::size_t>(j),
                       (at[k + 1] - at[k]) * g.pixel_size});
  }
  return entries;
}

double path_length(const std::vector<Entry>& entries, const Block& attenuation,
                   std::size_t column) {
  double sum = 0;
  for (const Entry& e : entries) {
    sum += e.length * static_cast<double>(attenuation(e.pixel, column));
  }
  return sum;
}

}  // namespace

Block reference_transmittance(const Geometry& geometry, const FluorescencePath& path,
                              const Block& incident, const Block& line, std::size_t angle) {
  Block t(geometry.pixels(), incident.columns());
  const double theta = geometry.angles[angle];
  const auto [c, s] = direction(theta);
  std::size_t pixel = 0;
  for (int i = 0; i < geometry.image_rows; ++i) {
    for (int j = 0; j < geometry.image_columns; ++j, ++pixel) {
      const std::vector<Entry> in = walk(geometry, i, j, s * path.beam, -c * path.beam);
      std::vector<double> out(t.columns(), 0.0);
      for (const FluorescencePath::Direction& d : path.detectors) {
        const auto [dc, ds] = direction(theta + d.angle);
        const std::vector<Entry> way = walk(geometry, i, j, dc, ds);
        for (std::size_t k = 0; k < out.size(); ++k) {
          out[k] += d.weight * std::exp(-path_length(way, line, k));
        }
      }
      for (std::size_t k = 0; k < out.size(); ++k) {
        t(pixel, k) = static_cast<float>(out[k] * std::exp(-path_length(in, incident, k)));
      }
    }
  }
  return t;
}

ReferenceAttenuatedProjector::ReferenceAttenuatedProjector(const Transmittance& transmittance)
    : Projector(transmittance.geometry()), transmittance_(transmittance) {}

void ReferenceAttenuatedProjector::do_forward(const Block& x, Block& y) {
  const Geometry& g = geometry();
  const std::size_t n = x.columns();
  FIRM_CHECK(n == transmittance_.columns());
  std::size_t ray = 0;
  for (std::size_t angle = 0; angle < g.angles.size(); ++angle) {
    const Block t = transmittance_.image(angle);
    for (int beamlet = 0; beamlet < g.beamlets; ++beamlet, ++ray) {
      sum_.assign(n, 0.0);
      trace_ray(g, angle, beamlet, [&](std::size_t pixel, double length) {
        for (std::size_t c = 0; c < n; ++c) {
          sum_[c] += length * static_cast<double>(t(pixel, c)) * static_cast<double>(x(pixel, c));
        }
      });
      for (std::size_t c = 0; c < n; ++c) y(ray, c) = static_cast<float>(sum_[c]);
    }
  }
}

void ReferenceAttenuatedProjector::do_adjoint(const Block& y, Block& x) {
  const Geometry& g = geometry();
  const std::size_t n = x.columns();
  FIRM_CHECK(n == transmittance_.columns());
  sum_.assign(x.size(), 0.0);
  std::size_t ray = 0;
  for (std::size_t angle = 0; angle < g.angles.size(); ++angle) {
    const Block t = transmittance_.image(angle);
    for (int beamlet = 0; beamlet < g.beamlets; ++beamlet, ++ray) {
      trace_ray(g, angle, beamlet, [&](std::size_t pixel, double length) {
        for (std::size_t c = 0; c < n; ++c) {
          sum_[pixel * n + c] +=
              length * static_cast<double>(t(pixel, c)) * static_cast<double>(y(ray, c));
        }
      });
    }
  }
  for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = static_cast<float>(sum_[k]);
}

}  // namespace firm
