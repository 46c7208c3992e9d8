#include "io/load_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "firm/error.h"
#include "io/data_exchange_paths.h"
#include "io/scan.h"
#include "physics/site_noise.h"

namespace firm {
namespace {

namespace dx = data_exchange;

std::string data_path(const SiteEntry& entry, const std::string& path) {
  return (std::filesystem::path(path).parent_path() / entry.data).string();
}

// Where the study names the site, for errors that are mended there.
std::string mention(const SiteEntry& entry, const std::string& path) {
  if (entry.line == 0) return fmt::format("site {} of {}", entry.name, path);
  return fmt::format("site {} of {}:{}", entry.name, path, entry.line);
}

// Opens the file and checks it against the study, before any large part of it is read.
Scan open_data(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  const std::string name = data_path(entry, path);
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    throw data_error({name, "", "the data of " + mention(entry, path), "no such file"});
  }
  Scan data = open_scan(name, {entry.element, false});
  if (data.data->slices() != static_cast<std::size_t>(file.slices)) {
    throw data_error({name, data.data->facts().path,
                      fmt::format("{} slices as in [image] of {}", file.slices, path),
                      fmt::format("{}", data.data->slices())});
  }
  return data;
}

std::vector<double> angles_of(const Scan& data, const std::string& name) {
  std::vector<double> angles;
  for (const double degrees : data.theta) {
    if (!std::isfinite(degrees)) {
      throw data_error({name, data.theta_source, "finite angles",
                        fmt::format("{} at angle {}", degrees, angles.size())});
    }
    angles.push_back(degrees * std::numbers::pi / 180);
  }
  return angles;
}

double spacing_of(const StudyFile& file, const SiteEntry& entry, const Scan& data,
                  const std::string& name) {
  if (entry.spacing) return *entry.spacing;
  if (!data.spacing) return file.pixel_size;
  if (std::isfinite(*data.spacing) && *data.spacing > 0) return *data.spacing;
  throw data_error({name, data.spacing_source, "a positive length, or a spacing in the study",
                    fmt::format("{} cm", *data.spacing)});
}

double rotation_axis_of(const SiteEntry& entry, const Scan& data, const std::string& name) {
  if (entry.rotation_axis) return *entry.rotation_axis;
  if (!data.rotation_axis) return static_cast<double>(data.data->beamlets()) / 2;
  if (std::isfinite(*data.rotation_axis)) return *data.rotation_axis;
  throw data_error({name, data.rotation_axis_source,
                    "a number of beamlets, or a rotation_axis in the study",
                    fmt::format("{}", *data.rotation_axis)});
}

// Counts values that will not do, and remembers the first.
class BadValues {
 public:
  explicit BadValues(std::size_t beamlets) : beamlets_(beamlets) {}

  void add(std::size_t row, std::size_t slice, double value) {
    if (count_++ > 0) return;
    row_ = row;
    slice_ = slice;
    value_ = value;
  }
  bool any() const { return count_ > 0; }
  // `frame` is what the rows are grouped by: "angle", or "frame" of white and dark ones.
  std::string text(const char* what, const char* frame) const {
    return fmt::format("{} {}, the first {} in slice {}, {} {}, beamlet {}", count_, what, value_,
                       slice_, frame, row_ / beamlets_, row_ % beamlets_);
  }

 private:
  std::size_t beamlets_;
  std::size_t count_ = 0;
  std::size_t row_ = 0;
  std::size_t slice_ = 0;
  double value_ = 0;
};

// Of one of the stacks of a scan. `frame` is what its rows are grouped by.
Block read_finite(const Frames& frames, const std::string& name, const char* frame) {
  Block block = read_block(frames);
  BadValues bad(frames.beamlets());
  for (std::size_t row = 0; row < block.rows(); ++row) {
    for (std::size_t slice = 0; slice < block.columns(); ++slice) {
      const double value = static_cast<double>(block(row, slice));
      if (!std::isfinite(value)) bad.add(row, slice, value);
    }
  }
  if (!bad.any()) return block;
  throw data_error(
      {name, frames.facts().path, "finite values", bad.text("NaN or infinite values", frame)});
}

// beamlets x slices, in the order of a Block; zeros when there are no frames.
std::vector<double> mean_frame(const Frames* frames, const Frames& data, const std::string& name) {
  std::vector<double> mean(data.beamlets() * data.slices());
  if (frames == nullptr) return mean;
  const Block block = read_finite(*frames, name, "frame");
  for (std::size_t k = 0; k < block.size(); ++k) {
    mean[k % mean.size()] += static_cast<double>(block.data()[k]);
  }
  for (double& value : mean) value /= static_cast<double>(frames->frames());
  return mean;
}

// The beam without the object, less dark: white frames, averaged, or the monitor at every point.
// Entry k of a Block of data has the beam of entry k % size.
std::vector<double> beam_of(const Scan& scan, const std::vector<double>& dark,
                            const std::string& name) {
  const bool white = scan.white != nullptr;
  const std::size_t slices = scan.data->slices();
  std::vector<double> beam;
  if (white) {
    beam = mean_frame(scan.white.get(), *scan.data, name);
  } else {
    const Block monitor = read_finite(*scan.monitor, name, "angle");
    beam.assign(monitor.values().begin(), monitor.values().end());
  }
  BadValues bad(scan.data->beamlets());
  for (std::size_t k = 0; k < beam.size(); ++k) {
    beam[k] -= dark[k % dark.size()];
    if (!(beam[k] > 0)) bad.add(k / slices, k % slices, beam[k]);
  }
  if (!bad.any()) return beam;
  throw data_error({name, (white ? scan.white : scan.monitor)->facts().path,
                    white ? "white above dark, on the average of the frames" : "a positive beam",
                    bad.text("differences that are not positive", white ? "mean frame" : "angle")});
}

// b = -log((data - dark) / beam), in place.
void take_logarithm(const Scan& scan, const std::string& name, Block& data) {
  const std::vector<double> dark = mean_frame(scan.dark.get(), *scan.data, name);
  const std::vector<double> beam = beam_of(scan, dark, name);
  const std::size_t slices = data.columns();
  BadValues bad(scan.data->beamlets());
  for (std::size_t k = 0; k < data.size(); ++k) {
    float& value = data.values()[k];
    const double transmission =
        (static_cast<double>(value) - dark[k % dark.size()]) / beam[k % beam.size()];
    if (transmission > 0 && std::isfinite(transmission)) {
      value = static_cast<float>(-std::log(transmission));
    } else {
      bad.add(k / slices, k % slices, transmission);
    }
  }
  if (!bad.any()) return;
  throw data_error({name, scan.data->facts().path,
                    "a positive transmission (data - dark) / (white - dark)",
                    bad.text("values that are not", "angle")});
}

// Whether `minus_log` fits what the file says about its data.
void check_units(const Scan& data, const SiteEntry& entry, const std::string& name,
                 const std::string& path) {
  const std::string field = data.data->facts().path + "@units";
  const std::string& units = data.data->facts().units;
  if (entry.prepare.minus_log && units == "1") {
    throw data_error({name, field, "\"counts\", because minus_log = true",
                      "\"1\": the logarithm is already taken; set minus_log = false for " +
                          mention(entry, path)});
  }
  if (entry.kind == "xrt" && !entry.prepare.minus_log && units == "counts") {
    throw data_error(
        {name, field, "\"1\", because minus_log = false",
         fmt::format("\"counts\" or no units; set minus_log = true for {}, or give the dataset the "
                     "units \"1\" if the logarithm is already taken",
                     mention(entry, path))});
  }
  if (entry.prepare.minus_log && !data.white && !data.monitor) {
    throw data_error({name, dx::kWhite,
                      "frames without the object, or a monitor, because minus_log = true", "none"});
  }
}

// The XRT site last.
std::vector<const SiteEntry*> ordered(const StudyFile& file) {
  std::vector<const SiteEntry*> entries;
  for (const SiteEntry& entry : file.sites) entries.push_back(&entry);
  std::stable_partition(entries.begin(), entries.end(),
                        [](const SiteEntry* e) { return e->kind != "xrt"; });
  return entries;
}

}  // namespace

Geometry site_geometry(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  const std::string name = data_path(entry, path);
  const Scan data = open_data(file, entry, path);
  Geometry g;
  g.image_rows = file.rows;
  g.image_columns = file.columns;
  g.pixel_size = file.pixel_size;
  g.angles = angles_of(data, name);
  g.beamlets = static_cast<int>(data.data->beamlets());
  g.spacing = spacing_of(file, entry, data, name);
  g.rotation_axis = rotation_axis_of(entry, data, name);
  return g;
}

namespace {

Site site_without_data(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  Site site;
  site.name = entry.name;
  site.kind = entry.kind == "xrt" ? SiteKind::kXrt : SiteKind::kXrf;
  site.coefficient = entry.coefficient;
  site.sigma = entry.sigma;
  site.geometry = site_geometry(file, entry, path);
  return site;
}

// The file has to say that it has counts.
void check_counts(const Scan& scan, const SiteEntry& entry, const std::string& path) {
  const std::string& units = scan.data->facts().units;
  if (units == "counts" && (entry.kind == "xrf" || entry.prepare.minus_log)) return;
  throw data_error({data_path(entry, path), scan.data->facts().path + "@units",
                    "\"counts\", because sigma = \"counts\"",
                    fmt::format("\"{}\"; set sigma = \"estimate\", or a number, for {}", units,
                                mention(entry, path))});
}

// Standard deviation of each value of b; none unless the study asks for it.
Block deviation_of(const StudyFile& file, const SiteEntry& entry, const std::string& path,
                   const Block& b) {
  if (entry.noise != Noise::kCounts) return {};
  const std::string name = data_path(entry, path);
  const Scan scan = open_data(file, entry, path);
  check_counts(scan, entry, path);
  const Block counts = read_finite(*scan.data, name, "angle");
  const std::vector<double> dark = mean_frame(scan.dark.get(), *scan.data, name);
  const auto frames = [](const Frames* f) {
    return f == nullptr ? 0 : static_cast<double>(f->frames());
  };
  return counted_deviation(entry,
                           {counts, 1, dark, frames(scan.dark.get()), frames(scan.white.get())}, b);
}

}  // namespace

LoadedSite load_measured_site(const StudyFile& file, const SiteEntry& entry,
                              const std::string& path) {
  LoadedSite loaded{site_without_data(file, entry, path), {}, {}};
  loaded.data.values = load_site_data(file, entry, path);
  const Block deviation = deviation_of(file, entry, path, loaded.data.values);
  loaded.warning = apply_noise(entry, deviation, loaded.site, loaded.data);
  return loaded;
}

Site load_site(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  if (entry.noise == Noise::kGiven) return site_without_data(file, entry, path);
  return load_measured_site(file, entry, path).site;
}

Block load_site_data(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  const std::string name = data_path(entry, path);
  const Scan scan = open_data(file, entry, path);
  check_units(scan, entry, name, path);
  Block data = read_finite(*scan.data, name, "angle");
  if (entry.prepare.minus_log) take_logarithm(scan, name, data);
  for (float& v : data.values()) v = static_cast<float>(v * entry.prepare.scale);
  return data;
}

Study study_without_sites(const StudyFile& file) {
  Study study;
  study.name = file.name;
  study.image_rows = file.rows;
  study.image_columns = file.columns;
  study.pixel_size = file.pixel_size;
  study.slices = static_cast<std::size_t>(file.slices);
  study.other = file.other;
  return study;
}

Study load_geometries(const StudyFile& file, const std::string& path) {
  Study study = study_without_sites(file);
  for (const SiteEntry* entry : ordered(file)) {
    study.sites.push_back(load_site(file, *entry, path));
  }
  study.validate();
  return study;
}

LoadedStudy load_study(const StudyFile& file, const std::string& path) {
  // What is wrong with a geometry is told before the measurements are read: that may take long.
  LoadedStudy loaded{study_without_sites(file), {}, {}};
  const std::vector<const SiteEntry*> entries = ordered(file);
  for (const SiteEntry* entry : entries) {
    loaded.study.sites.push_back(site_without_data(file, *entry, path));
  }
  loaded.study.validate();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    LoadedSite site = load_measured_site(file, *entries[i], path);
    loaded.study.sites[i] = std::move(site.site);
    loaded.data.push_back(std::move(site.data));
    loaded.data.back().site = i;
    if (!site.warning.empty()) loaded.warnings.push_back(std::move(site.warning));
  }
  loaded.study.validate();
  return loaded;
}

}  // namespace firm
