// Scan: the measurement of one site, in a file or a folder of files of any format.
//
// Opening a scan reads headers, names and angles, no measurements.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/formats/frames.h"

namespace firm {

struct Scan {
  std::string file;                // or folder
  std::vector<std::string> files;  // of a folder, in reading order
  std::string format;              // "Data Exchange (HDF5)"
  std::string title;

  std::unique_ptr<Frames> data;  // one frame per angle
  std::unique_ptr<Frames> white;
  std::unique_ptr<Frames> dark;
  // Where files of this format have the frames of `white`, for errors; empty: they have none.
  std::string white_place;
  std::unique_ptr<Frames> monitor;  // I0 at each point of `data`

  // For files with frames of several kinds in one dataset: their number, and those that are `data`.
  std::size_t frames_in_file = 0;
  std::vector<std::size_t> projections;

  std::vector<double> theta;  // degrees, in the order of the frames
  std::string theta_source;   // dataset or file, for errors
  std::string theta_warning;  // about the unit of the angles; empty: none

  std::optional<double> spacing;        // cm, between beamlets
  std::string spacing_source;           // dataset, for errors
  std::string spacing_warning;          // why that of the file is not used; empty: it is
  std::optional<double> rotation_axis;  // beamlets, edge coordinates
  std::string rotation_axis_source;

  std::vector<std::string> elements;  // in the file, if it has several
  std::vector<std::string> scalers;   // counters that can be chosen like elements: "DS_IC"
  std::string element;                // of `data`; empty if there is no choice
};

// A choice among the contents of a file, and information that the file lacks.
struct ScanRequest {
  std::string element = {};     // "Fe", or a scaler; empty: the only one,
  bool first = false;           // or the first
  std::string angles = {};      // file with the angles (angle_file.h); default: the data file
  std::string axes = {};        // of TIFF and .npy: "y:theta:x"; default: "theta:y:x"
  std::string angle_unit = {};  // "deg" or "rad", instead of the one in the file
  // I0 (monitor_reader.h) to use instead of the one in the data: a dataset of an HDF5 file, or a
  // file.
  std::string monitor = {};
  std::string monitor_file = {};
  // Reads other HDF5 files that the file links to, if they are below its folder.
  bool external_files = false;
};

// Opens a file or folder; its content tells the format. Files stay open as long as the Scan exists;
// those of a folder with one file per angle are opened for each read. Throws firm::Error when the
// format is unknown, with a description of the content, and when data is damaged or incomplete.
Scan open_scan(const std::string& file, const ScanRequest& request = {});

}  // namespace firm
