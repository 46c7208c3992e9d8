#include "sim/simulated_study.h"

#include "firm/error.h"
#include "sim/matter.h"

namespace firm {

SimulatedStudy study_of(const Simulation& simulation) {
  FIRM_CHECK(simulation.options.counts == 0 && simulation.options.xrf_counts == 0);
  const Geometry& g = simulation.geometry;
  const auto slices = static_cast<std::size_t>(simulation.options.slices);
  SimulatedStudy made;
  made.study.name = simulation.options.preset;
  made.study.image_rows = g.image_rows;
  made.study.image_columns = g.image_columns;
  made.study.pixel_size = g.pixel_size;
  made.study.slices = slices;
  made.study.other = simulation.other.rows() > 0;
  std::vector<Fluorescence> fluorescence;
  if (simulation.options.self_absorption) {
    fluorescence = fluorescence_of(matter_of(simulation.options.preset));
  }
  made.truth = Block(g.pixels(), simulation.sites.size() * slices);
  for (std::size_t i = 0; i < simulation.sites.size(); ++i) {
    const SimulatedSite& site = simulation.sites[i];
    made.study.sites.push_back(
        {site.name, site.is_xrt() ? SiteKind::kXrt : SiteKind::kXrf, site.coefficient, 1, g});
    if (i < fluorescence.size()) made.study.sites.back().fluorescence = fluorescence[i];
    made.data.push_back({i, site.data});
    for (std::size_t p = 0; p < made.truth.rows(); ++p) {
      for (std::size_t z = 0; z < slices; ++z) made.truth(p, i * slices + z) = site.truth(p, z);
    }
  }
  return made;
}

}  // namespace firm
