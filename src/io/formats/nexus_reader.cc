// NeXus: NXtomo, and raster scans with a monitor.
//
//   ENTRY/instrument/detector/data        (frame, y, x)
//   ENTRY/instrument/detector/image_key   0 projection, 1 flat, 2 dark, 3 invalid
//   ENTRY/sample/rotation_angle           one per frame, including flat and dark
//
// Files without an image key:
//
//   ENTRY/data/data      (theta, y, x), or (theta, x)
//   ENTRY/data/theta     or rotation_angle
//   ENTRY/monitor/data   I0, optional; (theta, y, x), (theta, y) or (theta)
//
// ENTRY is /entry, /entry1, or a group in /entry1 (files of Diamond).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "firm/error.h"
#include "io/formats/formats.h"
#include "io/formats/monitor_reader.h"

namespace firm {
namespace {

constexpr std::array kEntries = {"/entry", "/entry1", "/entry1/tomo_entry", "/entry1/stxm_entry",
                                 "/entry1/fluo_entry"};

constexpr int kProjection = 0;
constexpr int kFlat = 1;
constexpr int kDark = 2;

std::vector<std::size_t> frames_of_kind(const std::vector<std::int64_t>& keys, int kind) {
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (keys[k] == kind) numbers.push_back(k);
  }
  return numbers;
}

// The frames of one kind; null when there are none.
std::unique_ptr<Frames> stack(const h5::Reader& reader, const std::string& path,
                              const std::vector<std::size_t>& chosen) {
  if (chosen.empty()) return nullptr;
  h5::Dataset data = numbers(reader, path, 3, "three dimensions (frame, y, x)");
  const FrameAxes axes;
  Frames::Facts facts = facts_of(data, axes, chosen.size());
  facts.axes = "frame:y:x";
  facts.units = units_of(reader, path, "counts");
  return std::make_unique<HdfFrames>(std::move(data), axes, chosen, facts);
}

// The whole of a dataset (theta, y, x) or (theta, x).
std::unique_ptr<Frames> whole(const h5::Reader& reader, const std::string& path) {
  const bool one_slice = reader.dataset(path).shape().size() == 2;
  h5::Dataset data = numbers(reader, path, one_slice ? 2 : 3, "dimensions (theta, y, x)");
  FrameAxes axes;
  if (one_slice) {
    axes.slice.reset();
    axes.beamlet = 1;
  }
  Frames::Facts facts = facts_of(data, axes, data.shape()[0]);
  facts.axes = one_slice ? "theta:x" : "theta:y:x";
  facts.units = units_of(reader, path, "counts");
  return std::make_unique<HdfFrames>(std::move(data), axes, std::vector<std::size_t>{}, facts);
}

std::string title_of(const h5::Reader& reader, const std::string& entry) {
  const std::string path = entry + "/title";
  return reader.has(path) ? reader.text(path) : "";
}

std::string angles_of_grid(const h5::Reader& reader, const std::string& entry) {
  for (const char* name : {"/data/theta", "/data/rotation_angle", "/sample/rotation_angle"}) {
    if (reader.has(entry + name)) return entry + name;
  }
  return "";
}

}  // namespace

std::optional<Scan> nxtomo_scan(const h5::Reader& reader, const ScanRequest& request) {
  const auto found = std::find_if(kEntries.begin(), kEntries.end(), [&](const std::string& entry) {
    return reader.has(entry + "/instrument/detector/image_key");
  });
  if (found == kEntries.end()) return {};
  const std::string entry = *found;
  const std::string path = entry + "/instrument/detector/data";
  const std::string key_path = entry + "/instrument/detector/image_key";
  const auto keys = reader.dataset(key_path).read_all<std::int64_t>();
  const std::size_t frames = numbers(reader, path, 3, "three dimensions (frame, y, x)").shape()[0];
  if (keys.size() != frames) {
    throw data_error({reader.file(), key_path, fmt::format("{} keys, one per frame", frames),
                      fmt::format("{}", keys.size())});
  }
  Scan scan;
  scan.format = "NeXus NXtomo (HDF5)";
  scan.title = title_of(reader, entry);
  const std::vector<std::size_t> projections = frames_of_kind(keys, kProjection);
  if (projections.empty()) {
    throw data_error({reader.file(), key_path, "projections (key 0)", "none"});
  }
  scan.data = stack(reader, path, projections);
  scan.frames_in_file = frames;
  scan.projections = projections;
  scan.white_place = key_path + " = 1";
  scan.white = stack(reader, path, frames_of_kind(keys, kFlat));
  scan.dark = stack(reader, path, frames_of_kind(keys, kDark));
  if (!request.angles.empty()) return scan;
  scan.theta_source = entry + "/sample/rotation_angle";
  const std::vector<double> angles = angles_in_degrees(reader, scan.theta_source, request);
  if (angles.size() != frames) {
    throw data_error({reader.file(), scan.theta_source,
                      fmt::format("{} angles, one per frame", frames),
                      fmt::format("{}", angles.size())});
  }
  for (const std::size_t k : projections) scan.theta.push_back(angles[k]);
  return scan;
}

std::optional<Scan> nexus_grid_scan(const h5::Reader& reader, const ScanRequest& request) {
  for (const std::string entry : kEntries) {
    const std::string path = entry + "/data/data";
    if (!reader.has(path)) continue;
    const std::size_t dimensions = reader.dataset(path).shape().size();
    if (dimensions != 2 && dimensions != 3) continue;  // such as spectra
    const std::string angles = request.angles.empty() ? angles_of_grid(reader, entry) : "";
    if (angles.empty() && request.angles.empty()) continue;
    Scan scan;
    scan.format = "NeXus (HDF5)";
    scan.title = title_of(reader, entry);
    scan.data = whole(reader, path);
    const std::string monitor = entry + "/monitor/data";
    if (reader.has(monitor)) scan.monitor = monitor_dataset(reader, monitor, scan);
    if (angles.empty()) return scan;
    scan.theta = angles_in_degrees(reader, angles, request);
    scan.theta_source = angles;
    return scan;
  }
  return {};
}

}  // namespace firm
