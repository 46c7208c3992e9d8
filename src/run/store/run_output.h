// Output files of a run: images, pictures, report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/progress.h"
#include "io/files/image_file.h"
#include "io/study/study_file.h"
#include "prep/study_data.h"
#include "run/store/run_directory.h"
#include "run/store/run_json.h"
#include "solve/solver.h"

namespace firm {

ImageGrid image_grid(const Study& study);

// Reads the true images into the columns of the variables; `other` is zero. Empty if `path` is
// empty. `study` may have some of the slices of the file, from `first` of `all` on.
struct TrueSlices {
  std::size_t all = 0;
  std::size_t first = 0;
};
std::optional<Block> read_truth(const std::string& path, const Study& study,
                                const std::vector<Variable>& variables, const TrueSlices& from);

struct RunOutput {
  const RunDirectory& directory;
  const Study& study;
  const std::vector<Variable>& variables;  // in the columns of the images
  const StudyFile& resolved;               // the study as it was used
  const RunFacts& facts;
  std::string truth;  // file; empty: none
};

// The images of a run, in memory or in files.
struct RunImages {
  std::vector<Slices> variables;  // in the order of RunOutput::variables
  Slices multiplier;
  // Two for each site with self-absorption: attenuation_name().
  std::vector<ImageStack> attenuation = {};
};
// Name, below /entry, of the attenuation that T of a site was made from. `energy` is "incident" or
// "line".
std::string attenuation_name(const std::string& site, const std::string& energy);
ImageStack attenuation_stack(const std::string& name, const Slices& images);
// Views the images of a solution, which must outlive the result.
RunImages images_of(const Solution& solution);
// Returns the images with names, quantities and units for files.
std::vector<ImageStack> image_stacks(const std::vector<Variable>& variables,
                                     const std::vector<Slices>& images);
ImageStack multiplier_stack(const Slices& images);
// Returns the images that are not those of a variable.
std::vector<ImageStack> further_stacks(const RunImages& images);

// Writes images.h5, recon/ and overview.png.
void write_images(const RunOutput& run, const RunImages& images, const Summary& summary,
                  const Progress& progress);
// Writes report.html. `summary` is the text of summary.json, made once because it contains the
// date. Measurements come from `problem`, or from the data files.
void write_report(const RunOutput& run, const std::string& summary, const Problem& problem);
void write_report(const RunOutput& run, const std::string& summary, StudyData& data);
// Paths of the files of a complete run, for people.
std::vector<std::string> written_files(const RunDirectory& directory);

}  // namespace firm
