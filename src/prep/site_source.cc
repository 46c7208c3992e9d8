#include "prep/site_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "firm/error.h"
#include "io/files/number_file.h"
#include "io/formats/array_scan.h"
#include "io/formats/data_units.h"
#include "prep/fluorescence.h"

namespace firm {
namespace {

std::string beside(const std::string& study, const std::string& name) {
  return (std::filesystem::path(study).parent_path() / name).string();
}

std::string mention_of(const SiteEntry& entry, const std::string& path) {
  if (entry.line == 0) return fmt::format("site {} of {}", entry.name, path);
  return fmt::format("site {} of {}:{}", entry.name, path, entry.line);
}

Scan open_data(const SiteEntry& entry, const std::string& element, const std::string& path) {
  if (entry.arrays) return array_scan("site " + entry.name, *entry.arrays);
  const std::string name = beside(path, entry.data);
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    throw data_error({name, "", "the data of " + mention_of(entry, path), "no such file"});
  }
  const std::string angles = entry.angles.empty() ? "" : beside(path, entry.angles);
  ScanRequest request{element, false, angles, entry.axes, entry.angle_unit};
  request.external_files = entry.external_files;
  if (entry.monitor.starts_with('/')) {
    request.monitor = entry.monitor;
  } else if (!entry.monitor.empty()) {
    request.monitor_file = beside(path, entry.monitor);
  }
  return open_scan(name, request);
}

// A key of a site with one number per angle.
struct AngleKey {
  const char* key;
  const char* one;   // "shift in beamlets"
  const char* many;  // "shifts"
  bool positive;
};

// The numbers of the study, or of the file that it names.
std::vector<double> read_per_angle(const AngleKey& key, const PerAngle& numbers,
                                   const SiteEntry& entry, const std::string& path,
                                   const Scan& scan) {
  if (numbers.empty()) return {};
  const bool here = numbers.file.empty();
  const std::string place = here ? mention_of(entry, path) : beside(path, numbers.file);
  const std::string field = here ? key.key : "";
  std::vector<double> values = here ? numbers.values : read_numbers(place, key.one);
  if (values.size() != scan.theta.size()) {
    throw data_error(
        {place, field,
         fmt::format("{} {}, one per angle of {}", scan.theta.size(), key.many, scan.file),
         fmt::format("{}", values.size())});
  }
  const auto fine = [&](double x) { return std::isfinite(x) && (!key.positive || x > 0); };
  const auto wrong = std::ranges::find_if_not(values, fine);
  if (wrong == values.end()) return values;
  throw data_error({place, field,
                    fmt::format("finite {}{}", key.many, key.positive ? " above 0" : ""),
                    fmt::format("{} at angle {}", *wrong, wrong - values.begin())});
}

// ---- checks ------------------------------------------------------------------------------------

void check_size(const SiteSource& s) {
  const Frames& data = *s.scan.data;
  const auto slices = static_cast<std::size_t>(s.file.slices);
  const std::size_t rows = static_cast<std::size_t>(s.entry.first_slice) + slices * s.binning();
  if (data.slices() < rows) {
    std::string expected = fmt::format("{} slices as in [image] of {}", slices, s.path);
    if (rows != slices) {
      expected += fmt::format(", from first_slice = {}, with binning = {}: {} rows",
                              s.entry.first_slice, s.entry.binning, rows);
    }
    throw data_error({s.scan.file, data.facts().path, expected, fmt::format("{}", data.slices())});
  }
  const std::size_t beamlets = data.beamlets() / s.binning();
  if (beamlets == 0) {
    throw data_error(
        {s.scan.file, data.facts().path,
         fmt::format("at least {} beamlets, the binning of {}", s.entry.binning, s.mention()),
         fmt::format("{}", data.beamlets())});
  }
  if (static_cast<std::size_t>(s.entry.prepare.rings) > beamlets) {
    throw usage_error({s.mention(), "rings",
                       fmt::format("a window of at most the {} beamlets", beamlets),
                       fmt::format("{}", s.entry.prepare.rings)});
  }
  if (2 * static_cast<std::size_t>(s.entry.prepare.air) > beamlets) {
    throw usage_error({s.mention(), "air", fmt::format("at most half of the {} beamlets", beamlets),
                       fmt::format("{}", s.entry.prepare.air)});
  }
}

// Checks that `minus_log` agrees with the unit of the data.
void check_units(const SiteSource& s) {
  const Frames::Facts& facts = s.scan.data->facts();
  const bool minus_log = s.entry.prepare.minus_log;
  if (minus_log && facts.units == "1") {
    throw data_error(
        {s.scan.file, facts.path + "@units", "\"counts\", because minus_log = true",
         "\"1\": the logarithm is already taken; set minus_log = false for " + s.mention()});
  }
  if (s.entry.kind == "xrt" && !minus_log && is_unit_of_counts(facts.units)) {
    throw data_error(
        {s.scan.file, facts.path + "@units", "\"1\", because minus_log = false",
         fmt::format("\"{}\"{}; set minus_log = true for {}, or give the dataset the "
                     "units \"1\" if the logarithm is already taken",
                     facts.units, facts.units == "counts" ? " or no units" : "", s.mention())});
  }
}

// Counting statistics need counts.
void check_noise(const SiteSource& s) {
  const Frames::Facts& facts = s.scan.data->facts();
  if (s.entry.noise != Noise::kCounts) return;
  if (facts.units == "counts" && (s.entry.kind == "xrf" || s.entry.prepare.minus_log)) return;
  throw data_error({s.scan.file, facts.path + "@units", R"("counts", because sigma = "counts")",
                    fmt::format(R"("{}"; set sigma = "estimate", or a number, for {})", facts.units,
                                s.mention())});
}

// `reason` says why frames without the object are needed, `instead` what else will do.
Error no_white_frames(const Scan& scan, const std::string& reason, const std::string& instead) {
  const std::string nowhere =
      fmt::format("none, and no place for them in the format {}", scan.format);
  return data_error({scan.file, scan.white_place, "frames without the object" + reason,
                     (scan.white_place.empty() ? nowhere : "none") + instead});
}

// Checks that the data needed for the normalization exists.
void check_normalization(const SiteSource& s) {
  const Preparation& p = s.entry.prepare;
  const bool transmission = s.entry.kind == "xrt" && p.minus_log;
  const bool by_beam = p.normalize == "flat" || p.normalize == "air";
  if (s.entry.kind == "xrf" && by_beam) {
    throw usage_error({s.mention(), "normalize",
                       R"("auto", "monitor" or "none", because kind = "xrf")",
                       fmt::format("\"{}\"", p.normalize)});
  }
  const bool limited = p.clip_low || p.clip_high;
  const bool normalized = by_beam || p.normalize == "monitor";
  const bool monitored = !s.entry.monitor.empty();
  if (s.entry.kind == "xrt" && !transmission && (normalized || limited || monitored)) {
    throw usage_error({s.mention(),
                       limited      ? "clip_low, clip_high"
                       : normalized ? "normalize"
                                    : "monitor",
                       "minus_log = true: values after the logarithm are no transmissions",
                       "false"});
  }
  if (p.normalize == "monitor" && !s.scan.monitor) {
    throw data_error(
        {s.scan.file, "", "a monitor, because normalize = \"monitor\" for " + s.mention(), "none"});
  }
  if (p.normalize == "flat" && !s.scan.white) {
    throw no_white_frames(s.scan, ", because normalize = \"flat\" for " + s.mention(), "");
  }
  if (transmission && p.normalize == "auto" && !s.scan.white && !s.scan.monitor) {
    throw no_white_frames(
        s.scan, ", or a monitor, because minus_log = true for " + s.mention(),
        "; monitor = \"FILE\" names a file with I0, normalize = \"air\" takes the beam from "
        "beamlets beside the object, normalize = \"none\" takes the data for transmissions");
  }
}

// ---- geometry ----------------------------------------------------------------------------------

std::vector<double> angles_of(const SiteSource& s) {
  std::vector<double> angles;
  const double first = s.scan.theta.front();
  for (const double degrees : s.scan.theta) {
    if (!std::isfinite(degrees)) {
      throw data_error({s.scan.file, s.scan.theta_source, "finite angles",
                        fmt::format("{} at angle {}", degrees, angles.size())});
    }
    // No rounding where there is nothing to scale.
    const double scaled =
        s.entry.angle_scale == 1 ? degrees : first + s.entry.angle_scale * (degrees - first);
    const double sign = s.entry.reverse_angles ? -1 : 1;
    angles.push_back(sign * (scaled + s.entry.angle_offset) * std::numbers::pi / 180);
  }
  return angles;
}

// Spacing of the beamlets of the file.
double spacing_of(const SiteSource& s) {
  if (s.entry.spacing) return *s.entry.spacing;
  if (!s.scan.spacing) return s.file.pixel_size;
  if (std::isfinite(*s.scan.spacing) && *s.scan.spacing > 0) return *s.scan.spacing;
  throw data_error({s.scan.file, s.scan.spacing_source,
                    "a positive length, or a spacing in the study",
                    fmt::format("{} cm", *s.scan.spacing)});
}

double rotation_axis_of(const SiteSource& s) {
  if (s.entry.find_rotation_axis) return s.middle();
  if (s.entry.rotation_axis) return *s.entry.rotation_axis;
  if (!s.scan.rotation_axis) return s.middle();
  if (std::isfinite(*s.scan.rotation_axis)) return *s.scan.rotation_axis;
  throw data_error({s.scan.file, s.scan.rotation_axis_source,
                    "a number of beamlets, or a rotation_axis in the study",
                    fmt::format("{}", *s.scan.rotation_axis)});
}

// A point (x, y) of the common image is at (x + shift_x, y + shift_y) at this site. Its projection
// moves along the detector by shift_x cos + shift_y sin, and by the shift of the stage at each
// angle.
std::vector<double> shifts_of(const SiteSource& s, const Geometry& g) {
  std::vector<double> shifts = s.open.shifts;
  for (double& shift : shifts) shift /= s.entry.binning;
  if (s.entry.shift_x == 0 && s.entry.shift_y == 0) return shifts;
  shifts.resize(g.angles.size());
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const Direction d = direction(g.angles[k]);
    shifts[k] += (s.entry.shift_x * d.cosine + s.entry.shift_y * d.sine) / g.spacing;
  }
  return shifts;
}

NoiseSource source_of(Noise noise) {
  switch (noise) {
    case Noise::kCounts:
      return NoiseSource::kCounts;
    case Noise::kEstimated:
      return NoiseSource::kEstimated;
    case Noise::kGiven:
      break;
  }
  return NoiseSource::kGiven;
}

}  // namespace

std::string SiteSource::mention() const { return mention_of(entry, path); }

void read_angle_keys(const SiteEntry& entry, const std::string& path, OpenSite& open) {
  const auto read = [&](const AngleKey& key, const PerAngle& numbers) {
    return read_per_angle(key, numbers, entry, path, open.scan);
  };
  open.shifts = read({"shifts", "shift in beamlets", "shifts", false}, entry.shifts);
  open.shifts_vertical =
      read({"shifts_vertical", "shift in slices", "vertical shifts", false}, entry.shifts_vertical);
  open.gain = read({"gain", "factor of the beam", "factors", true}, entry.prepare.gain);
}

OpenSite open_site(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  OpenSite open{open_data(entry, entry.element, path), {}, {}, {}, {}};
  check_size({file, entry, path, open, open.scan});
  read_angle_keys(entry, path, open);
  for (const auto& [element, share] : entry.prepare.unmix) {
    open.unmix.push_back({share, open_data(entry, element, path)});
  }
  return open;
}

void check_values_fit(const SiteSource& source) {
  check_units(source);
  check_noise(source);
  check_normalization(source);
}

Geometry geometry_of(const SiteSource& s) {
  Geometry g;
  g.image_rows = s.file.rows;
  g.image_columns = s.file.columns;
  g.pixel_size = s.file.pixel_size;
  g.angles = angles_of(s);
  g.beamlets = static_cast<int>(s.scan.data->beamlets() / s.binning());
  g.spacing = spacing_of(s) * s.entry.binning;
  g.rotation_axis = rotation_axis_of(s) / s.entry.binning;
  g.shifts = shifts_of(s, g);
  return g;
}

Site site_of(const SiteSource& s) {
  Site site;
  site.name = s.entry.name;
  site.kind = s.entry.kind == "xrt" ? SiteKind::kXrt : SiteKind::kXrf;
  site.coefficient = s.entry.coupled ? s.entry.coefficient : 0;
  site.sigma = s.entry.estimated_sigma.value_or(s.entry.sigma_value());
  site.noise_source = source_of(s.entry.noise);
  site.geometry = geometry_of(s);
  site.scan = s.entry.scan;
  site.fluorescence = fluorescence_of(s.file, s.entry);
  return site;
}

}  // namespace firm
