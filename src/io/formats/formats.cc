#include "io/formats/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/closest_name.h"
#include "firm/error.h"
#include "io/files/angle_file.h"
#include "io/files/crash_guard.h"
#include "io/formats/map_folder.h"
#include "io/formats/monitor_reader.h"
#include "io/formats/unknown_format.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

using Format = std::optional<Scan> (*)(const h5::Reader&, const ScanRequest&);

constexpr Format kFormats[] = {data_exchange_scan, xrftomo_scan, nxtomo_scan, nexus_grid_scan};

// Layout of formats that store one file per angle.
std::optional<MapLayout> layout_of(const h5::Reader& reader) {
  std::optional<MapLayout> layout = maps_layout(reader);
  return layout ? std::move(layout) : pyxrf_layout(reader);
}

Scan hdf5_scan(const h5::Reader& reader, const ScanRequest& request) {
  for (const Format format : kFormats) {
    if (std::optional<Scan> scan = format(reader, request)) return std::move(*scan);
  }
  if (const std::optional<MapLayout> layout = layout_of(reader)) {
    throw data_error({reader.file(), "", "a folder with one such file for each angle",
                      fmt::format("one file of {}", layout->format)});
  }
  throw data_error(
      {reader.file(), "/exchange/data",
       "a file of Data Exchange, XRFtomo or NeXus (NXtomo), for example with a dataset "
       "(theta, y, x) of this name",
       describe_unknown_format(reader)});
}

Scan hdf5_folder_scan(const Folder& folder, const ScanRequest& request) {
  const h5::Reader reader(folder.files.front());
  const std::optional<MapLayout> layout = layout_of(reader);
  if (layout) return map_folder_scan(folder, *layout, request);
  throw data_error(
      {folder.path, "", "files of XRF-Maps or PyXRF, one for each angle",
       fmt::format("a directory with {} HDF5 file{}; in {}: {}", folder.files.size(),
                   folder.files.size() == 1 ? "" : "s", name_of_file(folder.files.front()),
                   describe_unknown_format(reader))});
}

void refuse_axes(const std::string& path, const ScanRequest& request) {
  if (request.axes.empty()) return;
  throw data_error(
      {path, "axes", "none: HDF5 files say themselves in which order they are", request.axes});
}

// The order of axes in which the frames are the axis with as many entries as there are angles;
// empty: no other axis has so many.
std::string axes_with_angles(const Frames::Facts& facts, std::size_t angles) {
  const auto dimensions = static_cast<std::size_t>(std::ranges::count(facts.axes, ':')) + 1;
  if (dimensions < 2 || dimensions > 3 || dimensions > facts.shape.size()) return "";
  const h5::Shape shape(facts.shape.end() - static_cast<std::ptrdiff_t>(dimensions),
                        facts.shape.end());
  const auto at = std::ranges::find(shape, angles);
  if (at == shape.end()) return "";
  std::vector<std::string> axes = {"y", "x"};
  if (dimensions == 2) axes.erase(axes.begin());
  axes.insert(axes.begin() + (at - shape.begin()), "theta");
  return fmt::format("{}", fmt::join(axes, ":"));
}

// Throws unless there is one angle for each frame of the data.
void check_angles(const Scan& scan, FileKind kind) {
  const Frames::Facts& facts = scan.data->facts();
  const std::size_t angles = scan.theta.size();
  if (angles == facts.frames) return;
  std::string found = fmt::format("{}", angles);
  const std::string axes = axes_with_angles(facts, angles);
  const bool requested = kind == FileKind::kTiff || kind == FileKind::kNpy;
  if (!axes.empty() && requested) {
    found += fmt::format("; the shape {} fits axes = \"{}\" in the study, or --axes {}",
                         h5::to_string(facts.shape), axes, axes);
  } else if (axes == "y:theta:x" && scan.format.starts_with("Data Exchange")) {
    found += fmt::format("; the shape {} fits the attribute axes = \"{}\" of the dataset",
                         h5::to_string(facts.shape), axes);
  }
  throw data_error({scan.file, scan.theta_source,
                    fmt::format("{} angles, one per frame of {}", facts.frames, facts.path),
                    found});
}

// Warns when angles that are read as degrees are probably radians.
std::string warn_radians(const Scan& scan, const ScanRequest& request) {
  if (!look_like_radians(scan.theta)) return "";
  const auto [low, high] = std::ranges::minmax(scan.theta);
  std::string fix = "set angle_unit = \"rad\" for the site (--angle-unit rad)";
  if (request.angles.empty()) {
    fix += fmt::format(", or the attribute units = \"rad\" of {}", scan.theta_source);
  } else if (kind_of_file(request.angles) == FileKind::kOther) {
    fix += fmt::format(", or begin {} with the line # units: rad", request.angles);
  }
  return fmt::format(
      "{} angles from {:.4g} to {:.4g} are read as degrees, but look like radians. If they are, "
      "{}; "
      "if they are degrees, set angle_unit = \"deg\"",
      scan.theta.size(), low, high, fix);
}

// Replaces the angles of the data by those of the requested file.
void set_angles(Scan& scan, FileKind kind, const ScanRequest& request) {
  const Frames::Facts& data = scan.data->facts();
  if (!request.angles.empty()) {
    scan.theta = read_angles(request.angles, requested_angle_unit(request));
    scan.theta_source = request.angles;
  } else if (scan.theta.empty()) {
    throw data_error(
        {scan.file, "angles",
         fmt::format("a file with {} angles, one per frame of {} {} {} (angles = \"...\" in the "
                     "study, --angles)",
                     data.frames, h5::to_string(data.shape), data.axes, data.type),
         "none"});
  }
  check_angles(scan, kind);
  if (request.angle_unit.empty()) scan.theta_warning = warn_radians(scan, request);
}

// Replaces the monitor of the scan by the requested one. `reader`: the data file; null unless it is
// one HDF5 file.
void set_monitor(Scan& scan, const h5::Reader* reader, const ScanRequest& request) {
  if (!request.monitor_file.empty()) scan.monitor = monitor_file(request.monitor_file, scan);
  if (request.monitor.empty()) return;
  if (reader == nullptr) {
    throw data_error({scan.file, request.monitor,
                      "one HDF5 file with this dataset, or the name of a file with the monitor, "
                      "without a '/' in front",
                      scan.files.empty() ? "a file of another format" : "a folder"});
  }
  scan.monitor = monitor_dataset(*reader, request.monitor, scan);
}

// A file or folder whose format is known.
struct Source {
  std::string path;
  FileKind kind = FileKind::kOther;
  std::optional<Folder> folder;  // none: one file
};

Source find_source(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    Folder folder = list_folder(path);
    return {path, folder.kind, std::move(folder)};
  }
  if (std::filesystem::is_regular_file(status)) return {path, kind_of_file(path), {}};
  throw data_error({path, "", "an HDF5 file, a TIFF, a .npy, or a folder of files",
                    std::filesystem::exists(status) ? "neither a file nor a folder"
                    : error                         ? error.message()
                                                    : "No such file or directory"});
}

Scan open(const Source& source, const ScanRequest& request) {
  Scan scan;
  std::optional<h5::Reader> reader;
  switch (source.kind) {
    case FileKind::kNpy:
      scan = npy_scan(source.path, request);
      break;
    case FileKind::kTiff:
      scan = source.folder ? tiff_folder_scan(*source.folder, request)
                           : tiff_scan(source.path, request);
      break;
    case FileKind::kHdf5:
      refuse_axes(source.path, request);
      if (source.folder) {
        scan = hdf5_folder_scan(*source.folder, request);
      } else {
        scan =
            hdf5_scan(reader.emplace(source.path, request.external_files ? h5::OtherFiles::kBelow
                                                                         : h5::OtherFiles::kNone),
                      request);
      }
      break;
    case FileKind::kOther:
      throw data_error(
          {source.path, "", "an HDF5 file, a TIFF or a .npy", "a file of another format"});
  }
  scan.file = source.path;
  set_angles(scan, source.kind, request);
  set_monitor(scan, reader ? &*reader : nullptr, request);
  return scan;
}

void read_first_values(const Scan& scan) {
  for (const auto* frames : {&scan.data, &scan.white, &scan.dark, &scan.monitor}) {
    if (*frames) (*frames)->read({0, 1, 0, 1});
  }
}

}  // namespace

Scan open_scan(const std::string& file, const ScanRequest& request) {
  const Source source = find_source(file);
  if (source.kind == FileKind::kHdf5) {
    guard_hdf5(file, [&] { read_first_values(open(source, request)); });
  }
  return open(source, request);
}

h5::Dataset numbers(const h5::Reader& reader, const std::string& path, std::size_t dimensions,
                    const std::string& expected) {
  h5::Dataset dataset = reader.dataset(path);
  const h5::Shape& shape = dataset.shape();
  if (shape.size() != dimensions) {
    throw data_error({reader.file(), path, expected, "the shape " + h5::to_string(shape)});
  }
  if (h5::element_count(shape) == 0) {
    throw data_error(
        {reader.file(), path, "at least one value", "the shape " + h5::to_string(shape)});
  }
  if (!dataset.numeric()) throw data_error({reader.file(), path, "numbers", dataset.type_name()});
  dataset.check_size();
  return dataset;
}

std::optional<double> requested_angle_unit(const ScanRequest& request) {
  if (request.angle_unit.empty()) return {};
  const std::optional<double> unit = unit_size(Dimension::kAngle, request.angle_unit);
  FIRM_CHECK(unit);
  return unit;
}

double degrees_of_unit(const h5::Reader& reader, const std::string& path,
                       const ScanRequest& request) {
  if (const auto unit = requested_angle_unit(request)) return *unit;
  const std::string units = units_of(reader, path, "degrees");
  if (const auto degrees = unit_size(Dimension::kAngle, units)) return *degrees;
  throw data_error({reader.file(), path + "@units", "degrees or radians", units});
}

std::vector<double> angles_in_degrees(const h5::Reader& reader, const std::string& path,
                                      const ScanRequest& request) {
  const double degrees = degrees_of_unit(reader, path, request);
  std::vector<double> angles = reader.dataset(path).read_all<double>();
  for (double& angle : angles) angle *= degrees;
  return angles;
}

std::string units_of(const h5::Reader& reader, const std::string& path,
                     const std::string& otherwise) {
  return reader.text_attribute(path, "units").value_or(otherwise);
}

std::size_t find_element(const std::string& file, const std::string& path,
                         const std::vector<std::string>& names, const ScanRequest& request) {
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  if (request.element.empty() && (names.size() == 1 || request.first)) return 0;
  if (request.element.empty()) {
    throw data_error({file, path,
                      "an element to be chosen (element = \"...\" in the study, "
                      "--element)",
                      "several: " + list});
  }
  const auto at = std::find(names.begin(), names.end(), request.element);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  throw data_error({file, path, fmt::format("the element {}", request.element),
                    list + did_you_mean(request.element, names)});
}

}  // namespace firm
