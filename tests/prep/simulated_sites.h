// Sites with simulated data, in which a test can make a mistake.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "firm/study.h"
#include "prep/diagnose/coarse_site.h"
#include "sim/noise.h"
#include "sim/phantom.h"

namespace firm {

struct SimulatedSitesOptions {
  std::string preset = "paper";
  int size = 40;  // pixels of the study; the object is drawn on a grid twice as fine
  int angles = 40;
  double noise = 0.02;
  std::size_t slices = 1;
};

// XRF sites and last XRT, whose largest value is 2: transmissions are plausible.
class SimulatedSites {
 public:
  using Options = SimulatedSitesOptions;

  explicit SimulatedSites(const Options& o = {}) {
    const auto slices = static_cast<int>(o.slices);
    Phantom phantom = o.preset == "elements" ? elements_phantom(2 * o.size, slices)
                                             : paper_phantom(2 * o.size, slices);
    if (o.preset == "lopsided") add_corner(phantom, 2 * o.size);
    const Geometry geometry = paper_geometry(o.size, o.angles, 1e-3);
    Geometry fine = geometry;
    fine.image_rows = fine.image_columns = 2 * o.size;
    fine.pixel_size /= 2;
    const std::size_t last = phantom.images.size() - 1;
    double top = 0;
    for (std::size_t i = 0; i <= last; ++i) {
      SiteData d{i, project(fine, phantom.images[i])};
      top = static_cast<double>(*std::ranges::max_element(d.values.values()));
      data.push_back(std::move(d));
    }
    for (float& value : data[last].values.values()) value *= static_cast<float>(2 / top);
    for (std::size_t i = 0; i <= last; ++i) {
      Random random(7, i);
      add_gaussian_noise(o.noise, random, data[i].values);
      Site site;
      site.name = i == last ? "xrt" : "xrf-" + std::to_string(i + 1);
      site.kind = i == last ? SiteKind::kXrt : SiteKind::kXrf;
      site.coefficient = i == last ? 0 : phantom.coefficients[i] * 2 / top;
      site.geometry = geometry;
      sites.push_back(site);
    }
  }

  Site& xrt() { return sites.back(); }
  SiteData& xrt_data() { return data.back(); }

  // Measures the same, of one slice, with a detector that runs the other way.
  void mirror(std::size_t site) {
    Geometry& g = sites[site].geometry;
    Block& b = data[site].values;
    const std::size_t row = static_cast<std::size_t>(g.beamlets) * b.columns();
    for (std::size_t a = 0; a < g.angles.size(); ++a) {
      std::reverse(b.data() + a * row, b.data() + (a + 1) * row);
    }
    g.rotation_axis = g.beamlets - g.rotation_axis;
  }

  std::vector<Site> sites;
  std::vector<SiteData> data;

 private:
  // A square of the first element and XRT beside the middle, so that no change leaves the object as
  // it is.
  static void add_corner(Phantom& phantom, int side) {
    for (const std::size_t i : {std::size_t{0}, phantom.images.size() - 1}) {
      const float density = static_cast<float>(i == 0 ? 2 : 2 * phantom.coefficients[0]);
      for (int row = side / 8; row < side * 3 / 8; ++row) {
        for (int column = side / 8; column < side * 2 / 8; ++column) {
          const auto pixel = static_cast<std::size_t>(row * side + column);
          for (std::size_t z = 0; z < phantom.images[i].columns(); ++z) {
            phantom.images[i](pixel, z) += density;
          }
        }
      }
    }
  }
};

}  // namespace firm
