#include "firm/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firm/error.h"

namespace firm {
namespace {

std::string number(double value) { return fmt::format("{}", value); }

bool positive(double value) { return value > 0 && std::isfinite(value); }

bool coupled(const Site& site) { return site.kind == SiteKind::kXrt || site.coefficient > 0; }

void validate_grid(const Study& study, const Site& site) {
  const Geometry& g = site.geometry;
  g.validate();
  if (g.image_rows != study.image_rows || g.image_columns != study.image_columns ||
      g.pixel_size != study.pixel_size) {
    throw usage_error(
        {"site " + site.name, "geometry", "the image grid of the study",
         fmt::format("{} x {} pixels of {} cm", g.image_rows, g.image_columns, g.pixel_size)});
  }
}

// Numbers of self-absorption, which a site may also have got from another machine.
void validate_fluorescence(const Study& study, const Site& site) {
  const std::string where = "site " + site.name;
  const Fluorescence& f = *site.fluorescence;
  if (site.kind == SiteKind::kXrt) {
    throw usage_error({where, "fluorescence", "none, because it measures transmission", "one"});
  }
  if (!positive(f.line_energy) || !(f.incident_energy > f.line_energy)) {
    throw usage_error({where, "fluorescence", "a line of less energy than the beam",
                       fmt::format("{} keV of {} keV", f.line_energy, f.incident_energy)});
  }
  const std::size_t images = study.sites.size() + (study.other ? 1 : 0);
  for (const std::vector<double>& coefficients : {f.incident, f.line}) {
    const bool fits =
        coefficients.size() == images &&
        std::ranges::all_of(coefficients, [](double c) { return c >= 0 && std::isfinite(c); });
    if (fits) continue;
    throw usage_error({where, "fluorescence",
                       fmt::format("{} coefficients of at least 0, one per image", images),
                       fmt::format("{} numbers", coefficients.size())});
  }
}

void validate_site(const Study& study, const Site& site) {
  const std::string where = "site " + site.name;
  if (site.kind == SiteKind::kXrf && site.coefficient != 0 && !positive(site.coefficient)) {
    throw usage_error({where, "coefficient",
                       "a number above 0, or 0 for a site that is not coupled",
                       number(site.coefficient)});
  }
  if (!positive(site.sigma)) {
    throw usage_error({where, "sigma", "a number above 0", number(site.sigma)});
  }
  if (site.fluorescence) validate_fluorescence(study, site);
  validate_grid(study, site);
}

}  // namespace

bool same_rays(const Geometry& a, const Geometry& b) {
  return a.image_rows == b.image_rows && a.image_columns == b.image_columns &&
         a.pixel_size == b.pixel_size && a.angles == b.angles && a.beamlets == b.beamlets &&
         a.spacing == b.spacing && a.rotation_axis == b.rotation_axis && a.shifts == b.shifts;
}

bool Study::common_geometry() const {
  for (const Site& site : sites) {
    if (!same_rays(site.geometry, sites.front().geometry)) return false;
  }
  return true;
}

bool Study::self_absorption() const {
  return std::ranges::any_of(sites, [](const Site& s) { return s.fluorescence.has_value(); });
}

bool Study::weighted() const {
  return std::ranges::any_of(
      sites, [&](const Site& site) { return coupled(site) && site.sigma != xrt().sigma; });
}

bool Study::noise_known() const {
  return std::ranges::any_of(sites,
                             [](const Site& site) { return coupled(site) && site.sigma != 1; });
}

double Study::weight(std::size_t site) const {
  const Site& of = sites[site];
  if (weighted()) return 1 / (of.sigma * of.sigma);
  if (of.kind == SiteKind::kXrt) return 1;
  double sum = 0;
  for (const Site& s : sites) sum += s.kind == SiteKind::kXrf ? s.coefficient : 0;
  const double unit = std::max(1.0, sum);
  return unit * unit;
}

void Study::add(Site site, Block values, Block weights) {
  const Geometry& g = site.geometry;
  if (sites.empty()) {
    image_rows = g.image_rows;
    image_columns = g.image_columns;
    pixel_size = g.pixel_size;
    slices = values.columns();
  }
  const bool before_xrt =
      site.kind == SiteKind::kXrf && !sites.empty() && sites.back().kind == SiteKind::kXrt;
  const std::size_t index = sites.size() - (before_xrt ? 1 : 0);
  for (SiteData& d : data) d.site += d.site >= index ? 1 : 0;
  site.weighted_values = weights.size() > 0;
  sites.insert(sites.begin() + static_cast<std::ptrdiff_t>(index), std::move(site));
  data.push_back({index, std::move(values), std::move(weights)});
}

void Study::validate() const {
  if (sites.size() < (other ? 1 : 2)) {
    throw usage_error({"study", "sites",
                       "at least one XRF site and the XRT site, or XRT alone with other = true",
                       fmt::format("{} site(s)", sites.size())});
  }
  if (slices < 1) throw usage_error({"study", "slices", "at least 1", "0"});
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const bool last = i + 1 == sites.size();
    if ((sites[i].kind == SiteKind::kXrt) != last) {
      throw usage_error({"study", "sites", "one XRT site, the last one",
                         fmt::format("site {} is {}", sites[i].name, last ? "XRF" : "XRT")});
    }
    validate_site(*this, sites[i]);
  }
}

}  // namespace firm
