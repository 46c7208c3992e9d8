// Scans as a folder of HDF5 files, one for each angle, each with maps (y, x) of several channels:
// elements that were fitted to spectra, and scalers, the counters that were read beside.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/files/folder.h"
#include "io/hdf5/hdf5.h"
#include "io/formats/scan.h"

namespace firm {

// A dataset with one map for each channel, and where its names are.
struct ChannelStack {
  std::string data;
  std::string names;
  std::string units = {};     // dataset with one for each channel; empty or missing: counts
  bool channel_last = false;  // (y, x, channel) instead of (channel, y, x)
};

// Where a program puts things into such a file.
struct MapLayout {
  std::string format;
  ChannelStack maps;
  std::optional<ChannelStack> scalers;
  std::vector<std::string> monitors;  // scalers that are I0; the first that is there is taken
  std::string angle;                  // where it is
  // In degrees; nothing when the file does not have it.
  std::function<std::optional<double>(const h5::Reader&)> read_angle;
};

// Nothing when the file is not of that program.
std::optional<MapLayout> maps_layout(const h5::Reader& reader);
std::optional<MapLayout> pyxrf_layout(const h5::Reader& reader);

// Throws firm::Error naming the first file that is not like the first.
Scan map_folder_scan(const Folder& folder, const MapLayout& layout, const ScanRequest& request);

}  // namespace firm
