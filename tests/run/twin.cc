#include "run/twin.h"

#include <cmath>
#include <fstream>

#include "align/align_state.h"
#include "io/study/study_file.h"
#include "prep/study_data.h"
#include "run/refine_study.h"
#include "support/temporary_directory.h"

namespace firm {

SimulateOptions twin_options(int size, std::uint64_t seed) {
  SimulateOptions options;
  options.preset = "rod";
  options.size = size;
  options.angles = 36;
  options.seed = seed;
  options.pixel_size = default_pixel_size("rod", size);
  options.counts = 20000;
  options.xrf_counts = 10000;
  return options;
}

RefinedTwin refine_twin(const SimulateOptions& options, const std::string& names, double unmix) {
  const TemporaryDirectory directory;
  RefinedTwin twin{simulate(options), {}};
  write_simulation(twin.simulation, directory.path());
  const std::string path = directory / "study.toml";
  StudyFile file = read_study(path);
  if (unmix > 0) file.sites.front().prepare.unmix["Au"] = unmix;
  StudyData data(file, path);
  data.estimate();
  SolveOptions solve;
  solve.refine = names;
  solve.threads = 1;
  twin.found = refine_study(data, solve, false, {});
  return twin;
}

double RefinedTwin::shift_error() const {
  std::vector<double> error = scan().shifts;
  for (std::size_t k = 0; k < error.size(); ++k) error[k] -= simulation.scan.shifts[k];
  remove_position(simulation.geometry.angles, true, error);
  double squares = 0;
  for (const double e : error) squares += e * e;
  return std::sqrt(squares / static_cast<double>(error.size()));
}

double RefinedTwin::axis_error(std::size_t site) const {
  return found.sites[site].axis->value -
         (simulation.geometry.rotation_axis + simulation.options.defects.axis_offset);
}

double RefinedTwin::scale_ratio(std::size_t site) const {
  const std::optional<Found>& scale = found.sites[site].scale;
  return scale && found.sites[site].coupled ? scale->value / simulation.sites[site].scale : 0;
}

}  // namespace firm
