#include "run/store/run_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "report/pictures/overview.h"
#include "report/pictures/reconstruction_files.h"
#include "run/report/run_report.h"

namespace firm {
namespace {

bool has_images(const std::string& path, const std::string& name) {
  if (std::filesystem::is_directory(path)) return false;
  const std::vector<std::string> names = image_names(path);
  return std::ranges::find(names, name) != names.end();
}

// The true images, read slice by slice on demand. `other` is 0 where the truth does not have it.
std::vector<Slices> true_images(const RunOutput& run) {
  const ImageGrid grid = image_grid(run.study);
  const std::size_t slices = run.study.slices;
  std::vector<Slices> images;
  for (const Variable& v : run.variables) {
    images.push_back(
        !v.uncoupled() && (v.measured || has_images(run.truth, v.name))
            ? stored_images(run.truth, v.name, grid, slices)
            : Slices(run.study.pixels(), slices, [](std::size_t, std::span<float> out) {
                std::fill(out.begin(), out.end(), 0.0f);
              }));
  }
  return images;
}

// Removes settings that do not affect the images.
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
                                const std::vector<Variable>& variables, const TrueSlices& from) {
  if (path.empty()) return {};
  guard_images(path);
  const std::size_t slices = study.slices;
  Block truth(study.pixels(), variables.size() * slices);
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (!variables[v].measured) continue;
    const Block one =
        read_images(path, variables[v].name, image_grid(study), from.all, {from.first, slices});
    for (std::size_t p = 0; p < truth.rows(); ++p) {
      for (std::size_t z = 0; z < slices; ++z) truth(p, v * slices + z) = one(p, z);
    }
  }
  return truth;
}

RunImages images_of(const Solution& solution) {
  const std::size_t slices = solution.multiplier.columns();
  RunImages images;
  for (std::size_t first = 0; first < solution.images.columns(); first += slices) {
    images.variables.emplace_back(&solution.images, SliceRange{first, slices});
  }
  images.multiplier = &solution.multiplier;
  for (const AttenuationImages& a : solution.attenuation) {
    images.attenuation.push_back(
        attenuation_stack(attenuation_name(a.site, "incident"), &a.incident));
    images.attenuation.push_back(attenuation_stack(attenuation_name(a.site, "line"), &a.line));
  }
  return images;
}

std::string attenuation_name(const std::string& site, const std::string& energy) {
  return fmt::format("{}/{}/{}", kSelfAbsorptionGroup, site, energy);
}

ImageStack attenuation_stack(const std::string& name, const Slices& images) {
  return {name, "attenuation", "1/cm", images};
}

std::vector<ImageStack> further_stacks(const RunImages& images) {
  std::vector<ImageStack> further = {multiplier_stack(images.multiplier)};
  further.insert(further.end(), images.attenuation.begin(), images.attenuation.end());
  return further;
}

std::vector<ImageStack> image_stacks(const std::vector<Variable>& variables,
                                     const std::vector<Slices>& images) {
  std::vector<ImageStack> stacks;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const bool density = variables[v].measured && !variables[v].transmission;
    const bool counts = variables[v].uncoupled();
    stacks.push_back({variables[v].name,
                      counts    ? "signal"
                      : density ? "density"
                                : "attenuation",
                      counts    ? "counts/cm"
                      : density ? "g/cm^3"
                                : "1/cm",
                      images[v]});
  }
  return stacks;
}

ImageStack multiplier_stack(const Slices& images) {
  return {"multiplier", "multiplier", "1", images};
}

void write_images(const RunOutput& run, const RunImages& images, const Summary& summary,
                  const Progress& progress) {
  const Study& study = run.study;
  const std::vector<ImageStack> stacks = image_stacks(run.variables, images.variables);
  const ImageNotes notes{reproducible_study_text(run.resolved),
                         reproducible_summary_json(summary, run.facts), further_stacks(images)};
  write_reconstruction(run.directory.path(), image_grid(study), stacks, notes, progress);
  std::vector<ImageStack> truth;
  if (!run.truth.empty()) truth = image_stacks(run.variables, true_images(run));
  write_overview(run.directory.file("overview.png"),
                 fmt::format("{}: {}, {} rounds", study.name, summary.method, summary.rounds),
                 image_grid(study), stacks, truth, study.slices / 2);
}

void write_report(const RunOutput& run, const std::string& summary, const Problem& problem) {
  write_report(run.directory.file("report.html"), {{run.directory.path()}, "", summary, &problem});
}

void write_report(const RunOutput& run, const std::string& summary, StudyData& data) {
  write_report(run.directory.file("report.html"),
               {{run.directory.path()}, "", summary, nullptr, &data});
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
