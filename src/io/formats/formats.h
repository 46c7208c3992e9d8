// The formats that scans are read from. Each function gives a Scan if the file is of its format,
// nothing if not; and throws firm::Error if it is, but something in it is wrong. Which kind of file
// it is (HDF5, TIFF, .npy) is known before.
//
// A new format: its function here (a folder of HDF5 files, one per angle: in map_folder.h), its
// file in CMakeLists.txt, its place in formats.cc, its table in docs/formats.md, and a test that
// writes such a file and reads it back.
#pragma once

#include <optional>

#include "io/files/folder.h"
#include "io/hdf5/hdf5.h"
#include "io/formats/scan.h"

namespace firm {

std::optional<Scan> data_exchange_scan(const h5::Reader& reader, const ScanRequest& request);
std::optional<Scan> nxtomo_scan(const h5::Reader& reader, const ScanRequest& request);
std::optional<Scan> nexus_grid_scan(const h5::Reader& reader, const ScanRequest& request);
std::optional<Scan> xrftomo_scan(const h5::Reader& reader, const ScanRequest& request);

// These have no angles: `theta` is left empty.
Scan npy_scan(const std::string& path, const ScanRequest& request);
Scan tiff_scan(const std::string& path, const ScanRequest& request);
Scan tiff_folder_scan(const Folder& folder, const ScanRequest& request);

// ---- what they have in common

// A dataset of numbers with `dimensions` axes, none of them empty, and not larger than its file
// allows.
h5::Dataset numbers(const h5::Reader& reader, const std::string& path, std::size_t dimensions,
                    const std::string& expected);

// What the unit of a dataset of angles is in degrees: 1 where it does not say. Throws when it is
// none of angles.
double degrees_of_unit(const h5::Reader& reader, const std::string& path);
// Angles of a dataset in degrees.
std::vector<double> angles_in_degrees(const h5::Reader& reader, const std::string& path);

// Throws unless there is one angle for each frame of the data.
void check_angles(const Scan& scan);

// The unit of a dataset, or `otherwise` where it does not say.
std::string units_of(const h5::Reader& reader, const std::string& path,
                     const std::string& otherwise);

// Position of the element that is asked for in `names`; throws when there is none, or when there
// are several and none is asked for.
std::size_t find_element(const std::string& file, const std::string& path,
                         const std::vector<std::string>& names, const ScanRequest& request);

}  // namespace firm
