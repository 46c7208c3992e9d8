// Folders of XRF maps, one HDF5 file per angle, as XRF-Maps and PyXRF write them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/scan_files.h"

namespace firm {

struct MapsFile {
  std::string group = "/MAPS/XRF_Analyzed/Fitted";  // empty: the older layout, `old`
  std::string old = "/MAPS/XRF_fits";
  std::vector<std::string> channels = {"Ca",   "Fe",    "COMPTON_AMPLITUDE",
                                       "Pt_L", "Fe_Fe", "Num_Iter"};
  std::string units = "cts/s";
  std::vector<std::string> scalers = {"SR_Current", "US_IC", "DS_IC"};
  std::optional<double> theta;
  std::size_t rows = kSlices;
  std::size_t columns = kBeamlets;
};

// First value of a channel; the others count upwards from it, over the angles.
inline double first_value(std::size_t channel) { return static_cast<double>(1000 * channel); }
inline constexpr std::size_t kScaler = 50;  // number of the first scaler as a channel

// Values in the order (channel, y, x), or (y, x, channel) with `last`.
std::vector<float> map_values(std::size_t angle, std::size_t channels, std::size_t first,
                              std::size_t rows, std::size_t columns, bool last = false);

void write_maps_file(const std::string& path, std::size_t angle, const MapsFile& m);

struct PyxrfFile {
  std::vector<std::string> channels = {"Fe_K", "Pt_L", "compton", "elastic", "snip_bkg"};
  std::vector<std::string> scalers = {"sclr1_ch2", "i0"};
  std::optional<double> theta;
  std::string units = "mdeg";
};

void write_pyxrf_file(const std::string& path, std::size_t angle, const PyxrfFile& m);

}  // namespace firm
