// Scan: one site's measurement in a file, or in a folder of files, whatever their format.
//
// A format is a function that looks into an open file, and gives a Scan if the file is of that
// format (formats.h). Nothing large is read by that: headers, names and angles.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/formats/frames.h"

namespace firm {

struct Scan {
  std::string file;                // or folder
  std::vector<std::string> files;  // of a folder, in the order in which they are read
  std::string format;              // "Data Exchange (HDF5)"
  std::string title;

  std::unique_ptr<Frames> data;  // one frame for each angle
  std::unique_ptr<Frames> white;
  std::unique_ptr<Frames> dark;
  std::unique_ptr<Frames> monitor;  // I0 at every point of `data`

  // Of a file that has frames of several kinds in one dataset: how many there are, and which of
  // them `data` has.
  std::size_t frames_in_file = 0;
  std::vector<std::size_t> projections;

  std::vector<double> theta;  // degrees, in the order of the frames
  std::string theta_source;   // the dataset that they come from

  std::optional<double> spacing;        // cm, between beamlets
  std::string spacing_source;           // the dataset that it comes from
  std::string spacing_warning;            // why one that the file has is not used; empty: it is
  std::optional<double> rotation_axis;  // beamlets, edge coordinates
  std::string rotation_axis_source;

  std::vector<std::string> elements;  // that the file has, where it has several
  std::vector<std::string> scalers;   // counters that can be chosen in the same way, as "DS_IC"
  std::string element;                // the one that `data` is of; empty where there is no choice
};

// What to read of a file that holds several, and what a file does not tell.
struct ScanRequest {
  std::string element = {};  // "Fe", or a scaler; empty: the file has only one,
  bool first = false;        // or the first will do
  std::string angles = {};  // file with the angles (angle_file.h); empty: they are in the data file
  std::string axes = {};    // of TIFF and .npy: "y:theta:x"; empty: "theta:y:x"
  // I0 (monitor_reader.h), instead of that of the data: a dataset of an HDF5 file, or a file.
  std::string monitor = {};
  std::string monitor_file = {};
};

// A file or a folder, its format chosen by content. Throws firm::Error when it is of no format that
// is known, naming what it looks like and what is in it; and when it is of one, but damaged or
// incomplete.
Scan open_scan(const std::string& file, const ScanRequest& request = {});

}  // namespace firm
