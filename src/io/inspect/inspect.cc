#include "io/inspect/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "io/formats/data_units.h"
#include "io/inspect/angle_coverage.h"
#include "io/inspect/cross_talk.h"
#include "io/inspect/site_guess.h"
#include "io/inspect/study_suggestion.h"
#include "io/inspect/survey.h"
#include "io/inspect/transmission_values.h"

namespace firm {
namespace {

// Reads a whole stack, piece by piece.
FieldSurvey survey(const Frames& frames, const Progress& progress) {
  const std::string stage = "reading " + frames.facts().path;
  const std::vector<FrameBox> pieces = pieces_of(frames, 0, frames.slices());
  FieldSurvey survey(frames.facts());
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    survey.add(pieces[k], frames.read(pieces[k]));
    report(progress, stage, static_cast<double>(k + 1) / static_cast<double>(pieces.size()));
  }
  return survey;
}

FieldReport field_report(const Frames& frames, const FieldSurvey& survey) {
  const Frames::Facts& f = frames.facts();
  return {f.path, f.shape, f.type, f.axes, f.units, survey.values()};
}

// Median of the finite values; NaN if there are none.
double median(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Fills in everything that depends on values.
void survey_fields(const Scan& scan, Inspection& r, const Progress& progress) {
  const FieldSurvey data = survey(*scan.data, progress);
  r.fields.push_back(field_report(*scan.data, data));
  r.dead = data.dead();
  r.missing = data.missing();
  r.edge = median(data.outer_means());
  if (!scan.white && !scan.monitor) {
    const std::string warning = warn_transmission_values(data.values(), r.edge);
    if (!warning.empty()) r.warnings.push_back(warning);
  }
  r.jumps.level = "mean of a frame, equal at all angles if the whole object is in view";
  std::vector<double> levels = data.frame_means();
  if (scan.white) {
    r.jumps.level = fmt::format("mean of the {} outermost beamlets on each side of a frame",
                                outer_beamlets(r.beamlets));
    levels = data.outer_means();
  }
  for (const auto* frames : {&scan.white, &scan.dark, &scan.monitor}) {
    if (!*frames) continue;
    const FieldSurvey field = survey(**frames, progress);
    r.fields.push_back(field_report(**frames, field));
    if (frames != &scan.monitor) continue;
    r.jumps.level = "mean of the monitor in a frame";
    levels = field.frame_means();
    std::vector<double> ratios = data.outer_means();
    for (std::size_t k = 0; k < ratios.size(); ++k) ratios[k] /= levels[k];
    r.edge_to_monitor = median(std::move(ratios));
  }
  r.jumps.rule = jump_rule();
  r.jumps.frames = find_jumps(levels);
}

std::uintmax_t size_on_disk(const Scan& scan) {
  std::uintmax_t bytes = scan.files.empty() ? std::filesystem::file_size(scan.file) : 0;
  for (const std::string& file : scan.files) bytes += std::filesystem::file_size(file);
  return bytes;
}

}  // namespace

AngleReport inspect_angles(const std::vector<double>& degrees) {
  AngleReport r;
  r.count = degrees.size();
  std::vector<double> sorted;
  std::copy_if(degrees.begin(), degrees.end(), std::back_inserter(sorted),
               [](double angle) { return std::isfinite(angle); });
  r.not_finite = r.count - sorted.size();
  r.order = std::is_sorted(sorted.begin(), sorted.end())     ? "ascending"
            : std::is_sorted(sorted.rbegin(), sorted.rend()) ? "descending"
                                                             : "unsorted";
  if (sorted.empty()) return r;
  std::sort(sorted.begin(), sorted.end());
  r.min = sorted.front();
  r.max = sorted.back();
  if (sorted.size() < 2) return r;
  r.min_step = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    const double step = sorted[k] - sorted[k - 1];
    r.min_step = std::min(r.min_step, step);
    r.max_step = std::max(r.max_step, step);
  }
  r.uniform = r.min_step > 0 && r.max_step - r.min_step <= 1e-3 * r.max_step;
  return r;
}

Inspection inspect_file(const std::string& path, ScanRequest request, const Progress& progress) {
  request.first = true;
  const Scan scan = open_scan(path, request);
  Inspection r;
  r.file = path;
  r.file_bytes = size_on_disk(scan);
  r.format = scan.format;
  r.title = scan.title;
  r.elements = scan.elements;
  r.scalers = scan.scalers;
  r.element = scan.element;
  r.slices = scan.data->slices();
  r.beamlets = scan.data->beamlets();
  r.has_white = scan.white != nullptr;
  r.has_dark = scan.dark != nullptr;
  r.has_monitor = scan.monitor != nullptr;
  survey_fields(scan, r, progress);
  r.angles = inspect_angles(scan.theta);
  r.angles.source = scan.theta_source;
  r.spacing = scan.spacing;
  r.rotation_axis = scan.rotation_axis;
  if (!scan.theta_warning.empty()) r.warnings.push_back(scan.theta_warning);
  if (!scan.spacing_warning.empty()) r.warnings.push_back(scan.spacing_warning);
  const std::string coverage = warn_angle_coverage(scan.theta);
  if (!coverage.empty() && scan.theta_warning.empty()) r.warnings.push_back(coverage);
  const bool xrf = guess_site(r).kind == "xrf";
  const std::string warning = xrf ? xrf_unit(r.fields.front().units).warning : "";
  if (!warning.empty()) r.warnings.push_back("as XRF: " + warning);
  const std::string mixed = xrf ? warn_cross_talk(path, request, scan) : "";
  if (!mixed.empty()) r.warnings.push_back(mixed);
  r.request = std::move(request);
  r.study = suggested_study(r);
  return r;
}

}  // namespace firm
