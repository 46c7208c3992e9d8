#include "run/reconstruct.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "core/sha256.h"
#include "core/timing.h"
#include "firm/error.h"
#include "firm/version.h"
#include "io/image_file.h"
#include "io/load_study.h"
#include "io/pending_file.h"
#include "io/study_file.h"
#include "report/overview.h"
#include "report/reconstruction_files.h"
#include "run/checkpoint.h"
#include "run/run_json.h"

namespace firm {
namespace {

constexpr double kCheckpointSeconds = 30;
constexpr double kFlushSeconds = 0.5;
constexpr const char* kCheckpoint = "checkpoint.h5";

SolveOptions resolve_options(const StudyFile& file, const ReconArguments& a) {
  SolveOptions options;
  // A run that is resumed keeps its options; its study.toml has all of them.
  const bool resume = a.start == RunDirectory::Start::kResume;
  const std::string kept = (std::filesystem::path(a.out) / "study.toml").string();
  if (resume && !std::filesystem::exists(kept)) {
    throw usage_error(
        {a.out, "--resume", "the directory of an earlier run", "no study.toml in it"});
  }
  const std::string& source = resume ? kept : a.study;
  for (const Setting& s : resume ? read_study(kept).settings : file.settings) {
    set_option(options, fmt::format("{}:{}", source, s.line), s.key, s.value);
  }
  for (const auto& [key, value] : a.settings) set_option(options, "--set", key, value);
  return options;
}

// ---- what a run is -----------------------------------------------------------------------------

std::string fingerprint(const Block& block) {
  Sha256 hash;
  hash.add(std::as_bytes(block.values()));
  return hash.finish();
}

std::string fingerprint(const Geometry& g) {
  std::string text = fmt::format("{} {} {} {} {} {}", g.image_rows, g.image_columns, g.pixel_size,
                                 g.beamlets, g.spacing, g.rotation_axis);
  for (const double angle : g.angles) text += fmt::format(" {}", angle);
  for (const double shift : g.shifts) text += fmt::format(" {}", shift);
  Sha256 hash;
  hash.add(text);
  return hash.finish();
}

// Rules that decide only when to stop may change when a run is resumed; threads change nothing.
bool belongs_to_identity(const std::string& key) {
  constexpr std::array kFree = {"stop.rounds", "stop.seconds", "stop.objective", "stop.kkt",
                                "stop.change", "stop.step",    "threads",        "seed"};
  return std::find(kFree.begin(), kFree.end(), key) == kFree.end();
}

std::string identity(const LoadedStudy& loaded, const SolveOptions& options,
                     const std::vector<std::string>& fingerprints) {
  std::string text = fmt::format("version {}\n", kVersion);
  for (const OptionText& option : describe_options(options)) {
    if (belongs_to_identity(option.key)) text += fmt::format("{} = {}\n", option.key, option.value);
  }
  text += fmt::format("other = {}\n", loaded.study.other);
  for (std::size_t i = 0; i < loaded.study.sites.size(); ++i) {
    const Site& site = loaded.study.sites[i];
    text += fmt::format("site {} coefficient {} sigma {} geometry {} data {}\n", site.name,
                        site.coefficient, site.sigma, fingerprint(site.geometry), fingerprints[i]);
  }
  return text;
}

// ---- the study as it was used ------------------------------------------------------------------

std::string path_from(const std::string& directory, const std::filesystem::path& file) {
  return std::filesystem::proximate(file, directory).string();
}

// Every option and default written out; file names relative to the run.
StudyFile resolved_study(StudyFile file, const ReconArguments& a, const LoadedStudy& loaded,
                         const SolveOptions& options) {
  const std::filesystem::path here = std::filesystem::path(a.study).parent_path();
  if (!file.truth.empty()) file.truth = path_from(a.out, here / file.truth);
  if (!a.truth.empty()) file.truth = path_from(a.out, a.truth);
  for (SiteEntry& entry : file.sites) {
    entry.data = path_from(a.out, here / entry.data);
    for (const Site& site : loaded.study.sites) {
      if (site.name != entry.name) continue;
      entry.spacing = site.geometry.spacing;
      entry.rotation_axis = site.geometry.rotation_axis;
    }
  }
  file.settings.clear();
  for (const OptionText& option : describe_options(options)) {
    file.settings.push_back({option.key, option.value, 0});
  }
  return file;
}

// The same without what changes no byte of the images.
std::string reproducible_study_text(StudyFile file) {
  std::erase_if(file.settings, [](const Setting& s) { return s.key == "threads"; });
  return study_text(file);
}

// ---- truth -------------------------------------------------------------------------------------

std::string truth_path(const StudyFile& file, const ReconArguments& a) {
  if (!a.truth.empty() || file.truth.empty()) return a.truth;
  return (std::filesystem::path(a.study).parent_path() / file.truth).string();
}

ImageGrid image_grid(const Study& study) {
  return {static_cast<std::size_t>(study.image_rows), static_cast<std::size_t>(study.image_columns),
          study.pixel_size};
}

// The true images in the columns of the problem's variables; `other` is left zero.
std::optional<Block> read_truth(const std::string& path, const Problem& problem) {
  if (path.empty()) return {};
  Block truth(problem.pixels(), problem.columns());
  const std::size_t slices = problem.slices();
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    const Variable& variable = problem.variables()[v];
    if (!variable.measured) continue;
    const Block one = read_images(path, variable.name, image_grid(problem.study()), slices);
    for (std::size_t p = 0; p < truth.rows(); ++p) {
      for (std::size_t z = 0; z < slices; ++z) truth(p, v * slices + z) = one(p, z);
    }
  }
  return truth;
}

// ---- images ------------------------------------------------------------------------------------

// One Block per variable, and how a file calls them.
struct Stacks {
  std::vector<Block> blocks;
  std::vector<ImageStack> stacks;
};

Stacks split_images(const Problem& problem, const Block& all) {
  Stacks result;
  const std::size_t slices = problem.slices();
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    Block one(all.rows(), slices);
    for (std::size_t p = 0; p < all.rows(); ++p) {
      for (std::size_t z = 0; z < slices; ++z) one(p, z) = all(p, v * slices + z);
    }
    result.blocks.push_back(std::move(one));
  }
  for (std::size_t v = 0; v < problem.variables().size(); ++v) {
    const Variable& variable = problem.variables()[v];
    const bool density = variable.measured && !variable.transmission;
    result.stacks.push_back({variable.name, density ? "density" : "attenuation",
                             density ? "g/cm^3" : "1/cm", &result.blocks[v]});
  }
  return result;
}

// ---- the run -----------------------------------------------------------------------------------

class Reconstruction {
 public:
  Reconstruction(const ReconArguments& arguments, const ReconCallbacks& callbacks)
      : arguments_(arguments),
        callbacks_(callbacks),
        file_(read_study(arguments.study)),
        options_(resolve_options(file_, arguments)) {}

  ReconResult go();

 private:
  void load();
  Solution run();
  void keep_state(int round, bool ending, const std::function<void(Archive&)>& state);
  void keep_round(const RoundRecord& record, int limit);
  void write(const Solution& solution);

  const ReconArguments& arguments_;
  const ReconCallbacks& callbacks_;
  StudyFile file_;
  SolveOptions options_;
  std::optional<RunDirectory> directory_;
  LoadedStudy loaded_;
  StudyFile resolved_;
  RunFacts facts_;
  std::string identity_;
  std::unique_ptr<Problem> problem_;
  std::optional<Block> truth_;
  std::vector<std::string> names_;
  bool stopping_ = false;
  Stopwatch watch_;
  double next_checkpoint_ = kCheckpointSeconds;
  double next_flush_ = 0;
};

void Reconstruction::load() {
  report(callbacks_.progress, "reading the data", 0);
  loaded_ = load_study(file_, arguments_.study);
  facts_.study = loaded_.study.name;
  facts_.options = options_;
  for (const SiteData& data : loaded_.data) facts_.fingerprints.push_back(fingerprint(data.values));
  identity_ = identity(loaded_, options_, facts_.fingerprints);
  problem_ = std::make_unique<Problem>(loaded_.study, loaded_.data,
                                       ProblemOptions{options_.threads, "auto"});
  truth_ = read_truth(truth_path(file_, arguments_), *problem_);
  for (const Variable& v : problem_->variables()) names_.push_back(v.name);
}

void Reconstruction::keep_state(int round, bool ending,
                                const std::function<void(Archive&)>& state) {
  stopping_ = callbacks_.interrupted && callbacks_.interrupted();
  if (!stopping_ && !ending && watch_.seconds() < next_checkpoint_) return;
  directory_->flush_history();
  write_checkpoint(directory_->file(kCheckpoint), identity_, round, state);
  next_checkpoint_ = watch_.seconds() + kCheckpointSeconds;
}

void Reconstruction::keep_round(const RoundRecord& record, int limit) {
  directory_->append_history(history_line(record, names_));
  if (watch_.seconds() >= next_flush_) {
    directory_->flush_history();
    next_flush_ = watch_.seconds() + kFlushSeconds;
  }
  if (callbacks_.on_round) callbacks_.on_round(record, limit);
}

Solution Reconstruction::run() {
  std::optional<Checkpoint> checkpoint;
  if (arguments_.start == RunDirectory::Start::kResume) {
    checkpoint.emplace((std::filesystem::path(arguments_.out) / kCheckpoint).string(), identity_);
  }
  LocalCollective collective;
  SolveInput input;
  input.problem = problem_.get();
  input.collective = &collective;
  input.options = options_;
  input.truth = truth_ ? &*truth_ : nullptr;
  input.resume = checkpoint ? &*checkpoint : nullptr;
  input.observer.on_round = [this](const RoundRecord& r, int limit) { keep_round(r, limit); };
  input.observer.interrupted = [this] { return stopping_; };
  input.observer.on_state = [this](int round, bool ending, const auto& state) {
    keep_state(round, ending, state);
  };
  Solver solver(input);
  // Nothing is written before all input has been found to be right.
  directory_.emplace(arguments_.out, arguments_.start);
  resolved_ = resolved_study(file_, arguments_, loaded_, options_);
  write_study(directory_->file("study.toml"), resolved_);
  directory_->open_history(checkpoint ? checkpoint->round() : 0);
  return solver.run();
}

void Reconstruction::write(const Solution& solution) {
  const Stacks images = split_images(*problem_, solution.images);
  const ImageGrid grid = image_grid(loaded_.study);
  const Summary& summary = solution.summary;
  const ImageStack multiplier{"multiplier", "multiplier", "1", &solution.multiplier};
  const ImageNotes notes{
      reproducible_study_text(resolved_), reproducible_summary_json(summary, facts_), {multiplier}};
  write_reconstruction(directory_->path(), grid, images.stacks, notes, callbacks_.progress);
  Stacks truth;
  if (truth_) truth = split_images(*problem_, *truth_);
  write_overview(
      directory_->file("overview.png"),
      fmt::format("{}: {}, {} rounds", loaded_.study.name, summary.method, summary.rounds), grid,
      images.stacks, truth.stacks, loaded_.study.slices / 2);
}

ReconResult Reconstruction::go() {
  load();
  const Solution solution = run();
  directory_->flush_history();
  write(solution);
  if (solution.summary.termination.converged) directory_->remove(kCheckpoint);
  write_text_file(directory_->file("summary.json"), summary_json(solution.summary, facts_));
  ReconResult result{solution.summary, {}};
  for (const char* name : {"summary.json", "history.jsonl", "images.h5", "overview.png"}) {
    result.files.push_back(directory_->file(name));
  }
  return result;
}

}  // namespace

ReconResult reconstruct(const ReconArguments& arguments, const ReconCallbacks& callbacks) {
  return Reconstruction(arguments, callbacks).go();
}

}  // namespace firm
