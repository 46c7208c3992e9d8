// Proposes a study for data files: one site per element, and one for the transmission (`firm
// init`).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/progress.h"
#include "io/init/data_source.h"

namespace firm {

struct ProposalArguments {
  std::vector<std::string> files;
  std::string out;   // the study to be written; names of files in it are relative to its directory
  std::string name;  // of the study; empty: that of `out`
  std::optional<double> energy;      // keV, of the XRT beam
  std::optional<double> pixel_size;  // cm; default: the spacing in the files
  SourceHints hints;
};

struct StudyProposal {
  std::string text;                // of the study, with a comment for each guess
  std::vector<std::string> sites;  // names
  std::size_t side = 0;            // rows and columns of the image
  std::size_t slices = 0;
  std::vector<std::string> guesses;  // "Fe: kind = "xrf": the name of the file names an element"
  bool needs_calibration = false;    // XRF is not in g/cm^2
};

// Reads all files. Throws firm::Error that names the file and the fix when they make no study.
StudyProposal propose_study(const ProposalArguments& arguments, const Progress& progress = {});

}  // namespace firm
