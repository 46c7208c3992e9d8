// Readers of scan formats. Each function of an HDF5 format returns a Scan if the file has its
// format, none if not, and throws firm::Error if the file has the format but is wrong.
//
// To add a format: declare its function here (for a folder of HDF5 files, one per angle, see
// map_folder.h), call it in formats.cc, describe it in docs/formats.md, and test it with a file
// that the test writes.
#pragma once

#include <optional>

#include "io/files/folder.h"
#include "io/formats/scan.h"
#include "io/hdf5/hdf5.h"

namespace firm {

std::optional<Scan> data_exchange_scan(const h5::Reader& reader, const ScanRequest& request);
std::optional<Scan> nxtomo_scan(const h5::Reader& reader, const ScanRequest& request);
std::optional<Scan> nexus_grid_scan(const h5::Reader& reader, const ScanRequest& request);
std::optional<Scan> xrftomo_scan(const h5::Reader& reader, const ScanRequest& request);

// These formats have no angles: `theta` stays empty.
Scan npy_scan(const std::string& path, const ScanRequest& request);
Scan tiff_scan(const std::string& path, const ScanRequest& request);
Scan tiff_folder_scan(const Folder& folder, const ScanRequest& request);

// ---- shared by the readers

// Opens a dataset of numbers. Throws unless it has `dimensions` axes, none of them empty, and fits
// into its file.
h5::Dataset numbers(const h5::Reader& reader, const std::string& path, std::size_t dimensions,
                    const std::string& expected);

// Size in degrees of the requested unit of angles; none: that of the file counts.
std::optional<double> requested_angle_unit(const ScanRequest& request);
// Size in degrees of the unit of a dataset of angles: the requested one, that of the dataset, or 1.
// Throws on other units.
double degrees_of_unit(const h5::Reader& reader, const std::string& path,
                       const ScanRequest& request);
// Angles of a dataset in degrees.
std::vector<double> angles_in_degrees(const h5::Reader& reader, const std::string& path,
                                      const ScanRequest& request);

// The unit of a dataset, `otherwise` if it has none.
std::string units_of(const h5::Reader& reader, const std::string& path,
                     const std::string& otherwise);

// Position of the requested element in `names`. Throws when it is missing, or when there are
// several and none is requested.
std::size_t find_element(const std::string& file, const std::string& path,
                         const std::vector<std::string>& names, const ScanRequest& request);

}  // namespace firm
