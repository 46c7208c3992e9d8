// Run: a reconstruction from study to results, as `firm recon` does it, in memory or in a
// directory.
//
//     firm::Run run({.study = "study.toml", .settings = {{"prior.kind", "tv"}}});
//     run.solution().image("Fe");
//     run.save("run");                 // the directory that `firm recon` writes
//
// Unlike reconstruct(), it keeps how data was prepared, warnings and history.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firm/observer.h"
#include "firm/site_arrays.h"
#include "firm/solution.h"
#include "firm/study.h"

namespace firm {

struct RunRequest {
  std::string study;      // file, study.toml; with `text`: its name in errors
  std::string text = {};  // content of a study file, instead of a file; empty: read the file
  // Measurements in memory, by site, instead of its data file. They are not copied, and must exist
  // as long as the Run (see SiteArrays::owner).
  std::map<std::string, SiteArrays> arrays = {};
  // Options as in `firm recon --set`, in order; they override those of the study.
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::string truth = {};  // file with true images; empty: the study's, if it names one
};

// Directory that already holds a run.
enum class Existing { kRefuse, kOverwrite, kResume };

class Run {
 public:
  // Reads the study, solves it, and keeps the results in memory. Files with the state of the run
  // are in a temporary directory. Throws firm::Error, also if memory does not suffice for all
  // slices at once. If the observer interrupts it, the images are those found so far.
  explicit Run(const RunRequest& request, const Observer& observer = {});
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  const Study& study() const;  // as resolved, without data
  const Solution& solution() const;
  // Quantity and unit of an image: "density" in "g/cm^3", "attenuation" in "1/cm", or "signal" in
  // "counts/cm".
  const std::string& quantity(const std::string& name) const;
  const std::string& units(const std::string& name) const;
  const std::vector<std::string>& warnings() const;  // about the fit of the data
  std::string summary() const;                       // content of summary.json
  std::string history() const;                       // content of history.jsonl

  // Writes the files of `firm recon` into a directory; sites with arrays get a data file there. A
  // run that has not converged can be resumed from it. Throws firm::Error.
  void save(const std::string& directory, Existing existing = Existing::kRefuse,
            const Observer& observer = {}) const;
  // Draws the images of the middle slice as a PNG file.
  void draw(const std::string& path) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

struct DirectoryRequest {
  RunRequest run;
  std::string out;
  Existing existing = Existing::kRefuse;
  std::optional<std::uint64_t> max_memory = {};  // bytes; slices that do not fit are chunks
  bool separate = false;                         // with the sums of a federation
};

struct DirectoryRun {
  Summary summary;
  std::vector<std::string> warnings;  // about the fit of the data
  bool complete = true;               // false: interrupted between chunks, so there are no images
};

// Does what `firm recon` does: checkpoints during the run, all results in `out`.
DirectoryRun run_in_directory(const DirectoryRequest& request, const Observer& observer = {});

// Describes a study file, without opening its data files.
struct StudyOutline {
  std::string name;
  int rows = 0;
  int columns = 0;
  int slices = 0;
  double pixel_size = 0;           // cm
  std::vector<std::string> sites;  // names, in the order of the file
};
StudyOutline read_outline(const std::string& study);

// Images of one site in images.h5 of a run, or in truth.h5: pixels x slices.
struct StoredImages {
  Block values;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::string quantity;
  std::string units;
};
// Names of the images in a file.
std::vector<std::string> stored_image_names(const std::string& path);
StoredImages read_stored_images(const std::string& path, const std::string& name);

}  // namespace firm
