// Scans stored as a folder of HDF5 files, one per angle. Each has maps (y, x) of several channels:
// elements fitted to spectra, and scalers (counters such as ion chambers).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/files/folder.h"
#include "io/formats/scan.h"
#include "io/hdf5/hdf5.h"

namespace firm {

// A dataset with one map per channel, and the dataset with the names of the channels.
struct ChannelStack {
  std::string data;
  std::string names;
  std::string units = {};     // dataset with the unit of each channel; empty or missing: counts
  bool channel_last = false;  // (y, x, channel) instead of (channel, y, x)
};

// Paths in the files of one program.
struct MapLayout {
  std::string format;
  ChannelStack maps;
  std::optional<ChannelStack> scalers;
  std::vector<std::string> monitors;  // names of I0 among the scalers; the first found is used
  std::string angle;                  // path of the angle, for errors
  // In degrees; none when the file has no angle. `unit`: size of the unit in degrees, instead of
  // the one in the file.
  std::function<std::optional<double>(const h5::Reader&, std::optional<double> unit)> read_angle;
};

// None when another program has written the file.
std::optional<MapLayout> maps_layout(const h5::Reader& reader);
std::optional<MapLayout> pyxrf_layout(const h5::Reader& reader);

// Throws firm::Error that names the first file whose channels or sizes differ.
Scan map_folder_scan(const Folder& folder, const MapLayout& layout, const ScanRequest& request);

}  // namespace firm
