// Suggests lines of study.toml for data files, with a comment for each guess.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/inspect/inspect.h"
#include "io/inspect/site_guess.h"

namespace firm {

// A line "key = value  # comment".
struct StudyLine {
  std::string assignment;
  std::string comment = {};
  bool guess = false;  // whether the comment gives the reason of a guess
};

struct SiteLines {
  std::string name;
  std::vector<StudyLine> lines;
};

// Properties of a study that are in no data file. Missing ones become comments to fill in.
struct StudyFacts {
  std::string name;
  std::optional<double> energy;      // keV
  std::optional<double> pixel_size;  // cm
  std::size_t side = 0;              // rows and columns of the image
  std::string side_why;              // reason, where it is a guess
  std::size_t slices = 0;
  bool xrf = false;  // whether any site is XRF
};

std::vector<StudyLine> study_lines(const StudyFacts& facts);  // of [study]
std::vector<StudyLine> image_lines(const StudyFacts& facts);  // of [image]
// File names are those of the inspection.
SiteLines site_lines(const Inspection& r, const SiteGuess& guess);

// Name of the file without its extension, and the element, in characters that a name may have.
std::string suggested_site_name(const Inspection& r);

std::string text_of(const std::vector<StudyLine>& lines);

// A study of this file alone. Missing information is a comment to fill in.
std::string suggested_study(const Inspection& r);

}  // namespace firm
