#include "io/load_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <utility>

#include "firm/error.h"
#include "io/data_exchange.h"
#include "io/data_exchange_paths.h"

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
DataExchangeFile open_data(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  const std::string name = data_path(entry, path);
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    throw data_error({name, "", "the data of " + mention(entry, path), "no such file"});
  }
  DataExchangeFile data(name);
  if (data.data().slices() != static_cast<std::size_t>(file.slices)) {
    throw data_error({name, dx::kData,
                      fmt::format("{} slices as in [image] of {}", file.slices, path),
                      fmt::format("{}", data.data().slices())});
  }
  return data;
}

std::vector<double> angles_of(const DataExchangeFile& data, const std::string& name) {
  std::vector<double> angles;
  for (const double degrees : data.theta()) {
    if (!std::isfinite(degrees)) {
      throw data_error({name, data.theta_source(), "finite angles",
                        fmt::format("{} at angle {}", degrees, angles.size())});
    }
    angles.push_back(degrees * std::numbers::pi / 180);
  }
  return angles;
}

double spacing_of(const StudyFile& file, const SiteEntry& entry, const DataExchangeFile& data,
                  const std::string& name) {
  if (entry.spacing) return *entry.spacing;
  if (!data.spacing()) return file.pixel_size;
  if (std::isfinite(*data.spacing()) && *data.spacing() > 0) return *data.spacing();
  throw data_error({name, dx::kSpacing, "a positive length, or a spacing in the study",
                    fmt::format("{} cm", *data.spacing())});
}

double rotation_axis_of(const SiteEntry& entry, const DataExchangeFile& data,
                        const std::string& name) {
  if (entry.rotation_axis) return *entry.rotation_axis;
  if (!data.rotation_axis()) return static_cast<double>(data.data().beamlets()) / 2;
  if (std::isfinite(*data.rotation_axis())) return *data.rotation_axis();
  throw data_error({name, dx::kRotationAxis,
                    "a number of beamlets, or a rotation_axis in the study",
                    fmt::format("{}", *data.rotation_axis())});
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

void check_finite(const Block& block, std::size_t beamlets, const std::string& name,
                  const char* dataset, const char* frame) {
  BadValues bad(beamlets);
  for (std::size_t row = 0; row < block.rows(); ++row) {
    for (std::size_t slice = 0; slice < block.columns(); ++slice) {
      const double value = static_cast<double>(block(row, slice));
      if (!std::isfinite(value)) bad.add(row, slice, value);
    }
  }
  if (!bad.any()) return;
  throw data_error({name, dataset, "finite values", bad.text("NaN or infinite values", frame)});
}

// beamlets x slices, in the order of a Block; zeros when there are no frames.
std::vector<double> mean_frame(const Block& frames, std::size_t beamlets, std::size_t slices) {
  std::vector<double> mean(beamlets * slices);
  if (frames.rows() == 0) return mean;
  const std::size_t count = frames.rows() / beamlets;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    mean[k % mean.size()] += static_cast<double>(frames.data()[k]);
  }
  for (double& value : mean) value /= static_cast<double>(count);
  return mean;
}

// white - dark, averaged.
std::vector<double> beam_of(const Acquisition& a, const std::vector<double>& dark,
                            const std::string& name) {
  const std::size_t beamlets = static_cast<std::size_t>(a.beamlets);
  const std::size_t slices = a.data.columns();
  std::vector<double> beam = mean_frame(a.white, beamlets, slices);
  BadValues bad(beamlets);
  for (std::size_t k = 0; k < beam.size(); ++k) {
    beam[k] -= dark[k];
    if (!(beam[k] > 0)) bad.add(k / slices, k % slices, beam[k]);
  }
  if (!bad.any()) return beam;
  throw data_error({name, dx::kWhite, "white above dark, on the average of the frames",
                    bad.text("differences that are not positive", "mean frame")});
}

// Replaces a.data by b = -log((data - dark) / beam).
void take_logarithm(Acquisition& a, const std::string& name) {
  const std::size_t beamlets = static_cast<std::size_t>(a.beamlets);
  const std::vector<double> dark = mean_frame(a.dark, beamlets, a.data.columns());
  const std::vector<double> beam = beam_of(a, dark, name);
  BadValues bad(beamlets);
  for (std::size_t row = 0; row < a.data.rows(); ++row) {
    for (std::size_t slice = 0; slice < a.data.columns(); ++slice) {
      const std::size_t k = row % beamlets * a.data.columns() + slice;
      const double transmission = (static_cast<double>(a.data(row, slice)) - dark[k]) / beam[k];
      if (transmission > 0 && std::isfinite(transmission)) {
        a.data(row, slice) = static_cast<float>(-std::log(transmission));
      } else {
        bad.add(row, slice, transmission);
      }
    }
  }
  if (!bad.any()) return;
  throw data_error({name, dx::kData, "a positive transmission (data - dark) / (white - dark)",
                    bad.text("values that are not", "angle")});
}

// Whether `minus_log` fits what the file says about its data.
void check_units(const DataExchangeFile& data, const SiteEntry& entry, const std::string& name,
                 const std::string& path) {
  const std::string field = std::string(dx::kData) + "@units";
  const std::string& units = data.data().units;
  if (entry.minus_log && units == "1") {
    throw data_error({name, field, "\"counts\", because minus_log = true",
                      "\"1\": the logarithm is already taken; set minus_log = false for " +
                          mention(entry, path)});
  }
  if (entry.kind == "xrt" && !entry.minus_log && units == "counts") {
    throw data_error(
        {name, field, "\"1\", because minus_log = false",
         fmt::format("\"counts\" or no units; set minus_log = true for {}, or give the dataset the "
                     "units \"1\" if the logarithm is already taken",
                     mention(entry, path))});
  }
  if (entry.minus_log && !data.white()) {
    throw data_error(
        {name, dx::kWhite, "frames without the object, because minus_log = true", "none"});
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
  const DataExchangeFile data = open_data(file, entry, path);
  Geometry g;
  g.image_rows = file.rows;
  g.image_columns = file.columns;
  g.pixel_size = file.pixel_size;
  g.angles = angles_of(data, name);
  g.beamlets = static_cast<int>(data.data().beamlets());
  g.spacing = spacing_of(file, entry, data, name);
  g.rotation_axis = rotation_axis_of(entry, data, name);
  return g;
}

Site load_site(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  Site site;
  site.name = entry.name;
  site.kind = entry.kind == "xrt" ? SiteKind::kXrt : SiteKind::kXrf;
  site.coefficient = entry.coefficient;
  site.sigma = entry.sigma;
  site.geometry = site_geometry(file, entry, path);
  return site;
}

Block load_site_data(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  const std::string name = data_path(entry, path);
  check_units(open_data(file, entry, path), entry, name, path);
  Acquisition a = read_acquisition(name);
  const std::size_t beamlets = static_cast<std::size_t>(a.beamlets);
  check_finite(a.data, beamlets, name, dx::kData, "angle");
  if (!entry.minus_log) return std::move(a.data);
  check_finite(a.white, beamlets, name, dx::kWhite, "frame");
  check_finite(a.dark, beamlets, name, dx::kDark, "frame");
  take_logarithm(a, name);
  return std::move(a.data);
}

Study load_geometries(const StudyFile& file, const std::string& path) {
  Study study;
  study.name = file.name;
  study.image_rows = file.rows;
  study.image_columns = file.columns;
  study.pixel_size = file.pixel_size;
  study.slices = static_cast<std::size_t>(file.slices);
  study.other = file.other;
  for (const SiteEntry* entry : ordered(file)) {
    study.sites.push_back(load_site(file, *entry, path));
  }
  study.validate();
  return study;
}

LoadedStudy load_study(const StudyFile& file, const std::string& path) {
  // What is wrong with a geometry is told before the measurements are read: that may take long.
  LoadedStudy loaded{load_geometries(file, path), {}};
  const std::vector<const SiteEntry*> entries = ordered(file);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    loaded.data.push_back({i, load_site_data(file, *entries[i], path)});
  }
  return loaded;
}

}  // namespace firm
