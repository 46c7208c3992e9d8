#include "io/init/data_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "firm/error.h"
#include "io/files/angle_file.h"
#include "io/files/folder.h"
#include "io/inspect/name_hints.h"
#include "physics/attenuation.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

constexpr std::array kAngleFiles = {"angles.txt", "theta.txt", "angles.npy", "theta.npy"};
// Orders of axes to try, the usual ones first.
constexpr std::array kOrders = {"", "y:theta:x", "y:x:theta", "x:theta"};

// Whether the format has neither angles nor names of its axes.
bool bare_numbers(const std::string& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return list_folder(file).kind == FileKind::kTiff;
  if (!fs::is_regular_file(file, ignored)) return false;
  const FileKind kind = kind_of_file(file);
  return kind == FileKind::kTiff || kind == FileKind::kNpy;
}

// A file of angles beside the data, or in its folder; empty: none.
std::string angles_beside(const std::string& file) {
  const fs::path path = fs::path(file).lexically_normal();
  std::vector<fs::path> folders;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) folders.push_back(path);
  folders.push_back((path.has_filename() ? path : path.parent_path()).parent_path());
  for (const fs::path& folder : folders) {
    for (const char* name : kAngleFiles) {
      const fs::path angles = folder / name;
      if (fs::is_regular_file(angles, ignored) && !fs::equivalent(angles, path, ignored)) {
        return angles.string();
      }
    }
  }
  return "";
}

struct Opened {
  Scan scan;
  ScanRequest request;
};

// Opens the file with its own angles; none if that fails and an angle file may help.
std::optional<Opened> open_with_own_angles(const std::string& file, const ScanRequest& request,
                                           bool angles_given) {
  try {
    return Opened{open_scan(file, request), request};
  } catch (const Error&) {
    if (!angles_given) throw;
    return {};
  }
}

// Opens a file that needs an angle file: the number of angles tells the order of its axes.
Opened open_with_angle_file(const std::string& file, ScanRequest request, bool guess_axes) {
  if (!guess_axes) return {open_scan(file, request), request};
  std::optional<Error> first;
  for (const char* order : kOrders) {
    request.axes = order;
    try {
      return {open_scan(file, request), request};
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  throw *first;
}

// Whether several axes have as many entries as there are angles.
bool other_axis_fits(const Scan& scan) {
  return std::ranges::count(scan.data->facts().shape, scan.theta.size()) > 1;
}

void explain(const SourceHints& hints, const Scan& scan, bool bare, DataSource& source) {
  const std::size_t angles = scan.theta.size();
  if (!source.request.angles.empty() && hints.angles.empty()) {
    source.angles_why = "a guess: beside the data";
  }
  if (!bare || !hints.axes.empty()) return;
  if (other_axis_fits(scan)) {
    source.request.axes = scan.data->facts().axes;
    source.axes_why = fmt::format("a guess: several axes of {} have {} entries, one per angle",
                                  h5::to_string(scan.data->facts().shape), angles);
  } else if (!source.request.axes.empty()) {
    source.axes_why = fmt::format("a guess: the axis of {} with {} entries, one per angle",
                                  h5::to_string(scan.data->facts().shape), angles);
  }
}

void sort_channels(const Scan& scan, DataSource& source) {
  std::vector<std::string> counters = scan.scalers;
  for (const std::string& name : scan.elements) {
    if (element_of_channel(name)) {
      source.elements.push_back(name);
    } else {
      counters.push_back(name);
      if (!is_transmission_counter(name)) source.left_out.push_back(name);
    }
  }
  const auto at = std::ranges::find_if(counters, is_transmission_counter);
  if (at != counters.end()) source.counter = *at;
}

}  // namespace

DataSource find_data_source(const std::string& file, const SourceHints& hints) {
  DataSource source;
  source.file = file;
  const bool bare = bare_numbers(file);
  ScanRequest request;
  request.first = true;
  request.angle_unit = hints.angle_unit;
  if (bare) request.axes = hints.axes;
  const std::string angles = hints.angles.empty() ? angles_beside(file) : hints.angles;
  std::optional<Opened> opened;
  if (!bare || angles.empty()) {
    opened = open_with_own_angles(file, request, !angles.empty());
  }
  if (!opened) {
    request.angles = angles;
    opened = open_with_angle_file(file, request, bare && hints.axes.empty());
  }
  source.request = opened->request;
  if (hints.angle_unit.empty() && look_like_radians(opened->scan.theta)) {
    source.request.angle_unit = "rad";
    const auto [low, high] = std::ranges::minmax(opened->scan.theta);
    source.angle_unit_why = fmt::format("a guess: {} angles from {:.4g} to {:.4g}",
                                        opened->scan.theta.size(), low, high);
  }
  explain(hints, opened->scan, bare, source);
  sort_channels(opened->scan, source);
  return source;
}

}  // namespace firm
