#include "run/run_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/pending_file.h"
#include "report/overview.h"
#include "report/reconstruction_files.h"
#include "run/run_report.h"

namespace firm {
namespace {

// One Block per variable, and how a file calls them.
struct Stacks {
  std::vector<Block> blocks;
  std::vector<ImageStack> stacks;
};

Stacks split_images(const RunOutput& run, const Block& all) {
  Stacks result;
  const std::size_t slices = run.study.slices;
  for (std::size_t v = 0; v < run.variables.size(); ++v) {
    Block one(all.rows(), slices);
    for (std::size_t p = 0; p < all.rows(); ++p) {
      for (std::size_t z = 0; z < slices; ++z) one(p, z) = all(p, v * slices + z);
    }
    result.blocks.push_back(std::move(one));
  }
  for (std::size_t v = 0; v < run.variables.size(); ++v) {
    const Variable& variable = run.variables[v];
    const bool density = variable.measured && !variable.transmission;
    result.stacks.push_back({variable.name, density ? "density" : "attenuation",
                             density ? "g/cm^3" : "1/cm", &result.blocks[v]});
  }
  return result;
}

// The study without what changes no byte of the images.
std::string reproducible_study_text(StudyFile file) {
  std::erase_if(file.settings, [](const Setting& s) { return s.key == "threads"; });
  return study_text(file);
}

}  // namespace

ImageGrid image_grid(const Study& study) {
  return {static_cast<std::size_t>(study.image_rows), static_cast<std::size_t>(study.image_columns),
          study.pixel_size};
}

std::optional<Block> read_truth(const std::string& path, const Study& study,
                                const std::vector<Variable>& variables, const SliceRange& range) {
  if (path.empty()) return {};
  const std::size_t slices = study.slices;
  Block truth(study.pixels(), variables.size() * slices);
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (!variables[v].measured) continue;
    const Block one = read_images(path, variables[v].name, image_grid(study), range.all_slices);
    for (std::size_t p = 0; p < truth.rows(); ++p) {
      for (std::size_t z = 0; z < slices; ++z) truth(p, v * slices + z) = one(p, range.first + z);
    }
  }
  return truth;
}

void write_images(const RunOutput& run, const Solution& solution, const Progress& progress) {
  const Study& study = run.study;
  const Stacks images = split_images(run, solution.images);
  const Summary& summary = solution.summary;
  const ImageStack multiplier{"multiplier", "multiplier", "1", &solution.multiplier};
  const ImageNotes notes{reproducible_study_text(run.resolved),
                         reproducible_summary_json(summary, run.facts),
                         {multiplier}};
  write_reconstruction(run.directory.path(), image_grid(study), images.stacks, notes, progress);
  Stacks truth;
  if (run.truth != nullptr) truth = split_images(run, *run.truth);
  write_overview(run.directory.file("overview.png"),
                 fmt::format("{}: {}, {} rounds", study.name, summary.method, summary.rounds),
                 image_grid(study), images.stacks, truth.stacks, study.slices / 2);
}

void write_report(const RunOutput& run, const Summary& summary, const Problem* problem) {
  write_report(run.directory.file("report.html"),
               {{run.directory.path()}, "", summary_json(summary, run.facts), problem});
}

void write_summary(const RunOutput& run, const Summary& summary) {
  write_text_file(run.directory.file("summary.json"), summary_json(summary, run.facts));
}

std::vector<std::string> written_files(const RunDirectory& directory) {
  std::vector<std::string> files;
  for (const char* name :
       {"summary.json", "history.jsonl", "images.h5", "overview.png", "report.html"}) {
    files.push_back(directory.file(name));
  }
  return files;
}

}  // namespace firm
