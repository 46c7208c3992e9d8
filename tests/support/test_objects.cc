#include "support/test_objects.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "firm/geometry.h"
#include "firm/projector.h"
#include "physics/noise.h"
#include "sim/noise.h"
#include "sim/phantom.h"

namespace firm {
namespace {

constexpr int kElements = 3;
constexpr int kFiner = 2;        // pixels of the simulation along one of the reconstruction
constexpr int kRays = 4;         // averaged into a beamlet
constexpr double kPixel = 1e-3;  // cm

struct Point {
  double x;
  double y;
};

struct Disc {
  double x;
  double y;
  double radius;
  double value;
};

double in_discs(const std::vector<Disc>& discs, Point p) {
  double sum = 0;
  for (const Disc& d : discs) {
    if (std::hypot(p.x - d.x, p.y - d.y) < d.radius) sum += d.value;
  }
  return sum;
}

double disc_density(int element, Point p) {
  static const std::array<std::vector<Disc>, kElements> all = {{
      {{0, 0, 0.75, 1}},
      {{-0.3, 0.2, 0.25, 1}, {0.35, 0.3, 0.12, 0.6}},
      {{0.2, -0.35, 0.2, 1}, {-0.4, -0.3, 0.1, 0.8}},
  }};
  return in_discs(all[static_cast<std::size_t>(element)], p);
}

double wire_density(int element, Point p) {
  static const std::array<std::vector<Disc>, kElements> all = {{
      {{-.5, .4, .06, 1},
       {.3, .5, .04, 1},
       {.55, -.2, .05, 1},
       {-.1, -.55, .03, 1},
       {0, .05, .08, 1}},
      {{-.4, -.3, .05, 1},
       {.1, .3, .03, 1},
       {.5, .15, .06, 1},
       {-.6, 0, .04, 1},
       {.2, -.6, .05, 1}},
      {{.35, -.45, .04, 1},
       {-.2, .6, .05, 1},
       {-.25, -.1, .03, 1},
       {.65, .4, .03, 1},
       {.1, -.2, .06, 1}},
  }};
  return in_discs(all[static_cast<std::size_t>(element)], p);
}

double smooth_density(int element, Point p) {
  const auto bell = [&](double x, double y, double width) {
    return std::exp(-(std::pow(p.x - x, 2) + std::pow(p.y - y, 2)) / (2 * width * width));
  };
  if (element == 0) return bell(0, 0, 0.3) + 0.5 * bell(0.3, 0.2, 0.1);
  if (element == 1) return bell(-0.25, 0.1, 0.12) + 0.7 * bell(0.2, -0.3, 0.15);
  return bell(0.1, 0.35, 0.18) * (1 + 0.5 * std::sin(8 * p.x));
}

// Voronoi cells within a circle; each element is in half of them.
double grain_density(int element, Point p) {
  struct Cell {
    Point centre;
    std::array<double, kElements> amounts;
  };
  static const std::vector<Cell> cells = [] {
    Random random(77, 3);
    std::vector<Cell> made(60);
    for (Cell& cell : made) {
      cell.centre.x = 2 * random.uniform() - 1;
      cell.centre.y = 2 * random.uniform() - 1;
      for (double& amount : cell.amounts) {
        amount = random.uniform();
        if (amount < 0.5) amount = 0;
      }
    }
    return made;
  }();
  if (std::hypot(p.x, p.y) > 0.8) return 0;
  const auto distance = [&](const Cell& cell) {
    return std::hypot(p.x - cell.centre.x, p.y - cell.centre.y);
  };
  const Cell& nearest = *std::ranges::min_element(cells, {}, distance);
  return nearest.amounts[static_cast<std::size_t>(element)];
}

double shell_density(int element, Point p) {
  static const std::array<std::vector<Disc>, kElements> all = {{
      {{0, 0, 0.8, 1}, {0, 0, 0.62, -1}, {0.1, 0.05, 0.12, 0.5}},
      {{-0.2, 0.25, 0.14, 1}, {0.7, 0.05, 0.07, 0.8}, {-0.5, -0.5, 0.06, 1}},
      {{0.25, -0.3, 0.1, 1}, {-0.1, 0.7, 0.06, 1}, {-0.35, -0.1, 0.08, 0.6}},
  }};
  return in_discs(all[static_cast<std::size_t>(element)], p);
}

// Densities fall to 0 at the rim, so that there is no edge.
double gradient_density(int element, Point p) {
  const double rim = std::max(0.0, 1 - (p.x * p.x + p.y * p.y) / (0.85 * 0.85));
  const auto blob = [&](double x, double y, double width) {
    return std::exp(-(std::pow(p.x - x, 2) + std::pow(p.y - y, 2)) / (width * width));
  };
  if (element == 0) return rim * (1 + 0.6 * p.x);
  if (element == 1) return rim * (0.3 + blob(0.3, 0.2, 0.35) - 0.2 * p.y);
  return rim * (blob(-0.3, -0.1, 0.3) + 0.7 * blob(0.2, -0.45, 0.2));
}

double strong_density(int element, Point p) {
  if (element == 0) return disc_density(0, p) + 0.5 * in_discs({{-0.2, -0.2, 0.3, 1}}, p);
  return 0.1 * disc_density(element, p);
}

double density(const std::string& kind, int element, Point p) {
  if (kind == "shell") return shell_density(element, p);
  if (kind == "gradient") return gradient_density(element, p);
  if (kind == "strong") return strong_density(element, p);
  if (kind == "discs") return disc_density(element, p);
  if (kind == "smooth") return smooth_density(element, p);
  if (kind == "wires") return wire_density(element, p);
  return grain_density(element, p);
}

struct Elements {
  std::vector<Block> images;  // on the fine grid
  std::vector<double> coefficients;
};

Elements elements_of(const std::string& kind, int n) {
  struct Preset {
    const char* kind;
    Phantom (*make)(int n, int slices);
  };
  constexpr Preset kPresets[] = {{"body", elements_phantom},
                                 {"paper", paper_phantom},
                                 {"shapes", shapes_phantom},
                                 {"gradients", smooth_phantom}};
  for (const Preset& preset : kPresets) {
    if (kind != preset.kind) continue;
    Phantom phantom = preset.make(n, 1);
    phantom.images.pop_back();
    return {std::move(phantom.images), phantom.coefficients};
  }
  Elements made{{}, {30, 110, 150}};
  constexpr std::array kStrength = {0.03, 0.004, 0.002};  // g/cm^3
  for (int e = 0; e < kElements; ++e) {
    Block image(static_cast<std::size_t>(n * n), 1);
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        const Point p{(column + 0.5) / n * 2 - 1, 1 - (row + 0.5) / n * 2};
        image(static_cast<std::size_t>(row * n + column), 0) =
            static_cast<float>(kStrength[static_cast<std::size_t>(e)] * density(kind, e, p));
      }
    }
    made.images.push_back(std::move(image));
  }
  return made;
}

// Means over kFiner x kFiner pixels.
void put_coarse(const Block& fine, int n, std::size_t site, Block& truth) {
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int a = 0; a < kFiner; ++a) {
        for (int b = 0; b < kFiner; ++b) {
          const int at = (kFiner * row + a) * kFiner * n + kFiner * column + b;
          sum += static_cast<double>(fine(static_cast<std::size_t>(at), 0));
        }
      }
      truth(static_cast<std::size_t>(row * n + column), site) =
          static_cast<float>(sum / (kFiner * kFiner));
    }
  }
}

// Means over kRays neighbouring rays.
Block in_beamlets(const Block& fine, std::size_t rays) {
  Block values(rays, 1);
  for (std::size_t ray = 0; ray < rays; ++ray) {
    double sum = 0;
    for (std::size_t q = 0; q < kRays; ++q) sum += static_cast<double>(fine(kRays * ray + q, 0));
    values(ray, 0) = static_cast<float>(sum / kRays);
  }
  return values;
}

}  // namespace

const std::vector<std::string>& object_kinds() {
  static const std::vector<std::string> kinds = {"discs", "smooth", "wires",    "grains",
                                                 "body",  "shell",  "gradient", "strong"};
  return kinds;
}

const std::vector<std::string>& prior_object_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> all = {"paper", "shapes", "gradients"};
    all.insert(all.end(), object_kinds().begin(), object_kinds().end());
    return all;
  }();
  return kinds;
}

MeasuredObject measure_object(const ObjectOptions& o) {
  const Geometry g = paper_geometry(o.size, o.angles, kPixel);
  Geometry fine = paper_geometry(kFiner * o.size, o.angles, kPixel / kFiner);
  fine.beamlets = kRays * g.beamlets;
  fine.spacing = kPixel / kRays;
  fine.rotation_axis = fine.beamlets / 2.0;
  const auto projector = make_projector(fine);
  Elements elements = elements_of(o.kind, kFiner * o.size);
  Block attenuation(fine.pixels(), 1);
  for (std::size_t e = 0; e < kElements; ++e) {
    for (std::size_t p = 0; p < fine.pixels(); ++p) {
      attenuation(p, 0) += static_cast<float>(elements.coefficients[e]) * elements.images[e](p, 0);
    }
  }
  elements.images.push_back(std::move(attenuation));

  MeasuredObject made{{}, Block(g.pixels(), kElements + 1)};
  for (std::size_t i = 0; i <= kElements; ++i) {
    const bool xrt = i == kElements;
    put_coarse(elements.images[i], o.size, i, made.truth);
    Block y(fine.rays(), 1);
    projector->forward(elements.images[i], y);
    Block values = in_beamlets(y, g.rays());
    Site site;
    site.name = xrt ? "xrt" : "xrf-" + std::to_string(i + 1);
    site.kind = xrt ? SiteKind::kXrt : SiteKind::kXrf;
    site.coefficient = xrt ? 0 : elements.coefficients[i];
    const double accuracy = xrt ? o.xrt_noise : i > 0 ? o.weak_noise : 1;
    site.sigma = o.noise * accuracy * static_cast<double>(std::ranges::max(values.values()));
    site.geometry = g;
    Random random(o.seed, i);
    for (float& value : values.values()) {
      value += static_cast<float>(site.sigma * random.normal());
    }
    if (o.estimate) {
      site.sigma = estimate_noise(values, {}, static_cast<std::size_t>(g.beamlets));
    }
    made.study.add(site, std::move(values));
  }
  return made;
}

std::vector<double> relative_errors(const Block& images, const Block& truth) {
  std::vector<double> errors;
  for (std::size_t c = 0; c < truth.columns(); ++c) {
    double squares = 0;
    double all = 0;
    for (std::size_t p = 0; p < truth.rows(); ++p) {
      squares += std::pow(static_cast<double>(images(p, c) - truth(p, c)), 2);
      all += std::pow(static_cast<double>(truth(p, c)), 2);
    }
    errors.push_back(std::sqrt(squares / all));
  }
  return errors;
}

}  // namespace firm
