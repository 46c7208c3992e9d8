// Implements include/firm/run.h.
#include "firm/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "firm/error.h"
#include "report/pictures/overview.h"
#include "run/reconstruction.h"

namespace firm {
namespace {

// A directory that exists as long as the object.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    path_ = (std::filesystem::temp_directory_path() / "firm-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) {
      throw data_error({path_, "", "a directory that can be made", std::strerror(errno)});
    }
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

RunCallbacks callbacks_of(const Observer& observer) {
  RunCallbacks callbacks;
  callbacks.progress = observer.progress;
  callbacks.on_event = observer.on_event;
  callbacks.on_prior = observer.on_prior;
  callbacks.on_absorption = observer.on_absorption;
  if (observer.on_round) {
    callbacks.on_round = [on_round = observer.on_round](const RoundRecord& r, int limit,
                                                        const std::string& /*line*/) {
      on_round(r, limit);
    };
  }
  callbacks.wants_images = observer.wants_images;
  if (observer.on_images) {
    callbacks.on_images = [on_images = observer.on_images](const ImagesNow& now) {
      on_images(now.images);
    };
  }
  callbacks.interrupted = observer.interrupted;
  callbacks.paused_seconds = observer.paused_seconds;
  return callbacks;
}

void attach_arrays(const RunRequest& request, StudyFile& file) {
  for (const auto& [name, arrays] : request.arrays) {
    const auto at = std::ranges::find(file.sites, name, &SiteEntry::name);
    if (at == file.sites.end()) {
      throw usage_error(
          {request.study, "arrays", "arrays of sites of the study", "'" + name + "'"});
    }
    at->arrays = std::make_shared<const SiteArrays>(arrays);
    at->data = "data/" + name + ".h5";
  }
}

RunDirectory::Start start_of(Existing existing) {
  switch (existing) {
    case Existing::kOverwrite:
      return RunDirectory::Start::kOverwrite;
    case Existing::kResume:
      return RunDirectory::Start::kResume;
    case Existing::kRefuse:
      break;
  }
  return RunDirectory::Start::kNew;
}

ReconArguments arguments_of(const RunRequest& request) {
  ReconArguments arguments;
  arguments.study = request.study;
  arguments.truth = request.truth;
  arguments.settings = request.settings;
  if (!request.text.empty() || !request.arrays.empty()) {
    arguments.given =
        request.text.empty() ? read_study(request.study) : parse_study(request.text, request.study);
    attach_arrays(request, *arguments.given);
  }
  return arguments;
}

}  // namespace

class Run::State {
 public:
  State(const RunRequest& request, const Observer& observer)
      : arguments_(arguments_of(request)), callbacks_(callbacks_of(observer)) {
    arguments_.out = scratch_.path();
    run_.emplace(arguments_, callbacks_, alone_, Results::kInMemory);
    result_ = run_->run();
    stacks_ = image_stacks(solved().variables, images_of(solved().solution).variables);
    callbacks_ = {};
  }

  const ReconResult& result() const { return result_; }
  const Study& study() const { return run_->plan().study(); }
  const ShardResult& solved() const { return run_->in_memory(); }
  Reconstruction& run() { return *run_; }

  const ImageStack& stack(const std::string& name) const {
    const auto at = std::ranges::find(stacks_, name, &ImageStack::name);
    if (at != stacks_.end()) return *at;
    throw usage_error({"run", "image",
                       fmt::format("one of {}", fmt::join(solved().solution.names, ", ")),
                       "'" + name + "'"});
  }

  void draw(const std::string& path) const {
    const Summary& s = result_.summary;
    write_overview(path, fmt::format("{}: {}, {} rounds", study().name, s.method, s.rounds),
                   image_grid(study()), stacks_, {}, study().slices / 2);
  }

 private:
  ScratchDirectory scratch_;
  ReconArguments arguments_;
  RunCallbacks callbacks_;
  OneProcess alone_;
  std::optional<Reconstruction> run_;
  ReconResult result_;
  std::vector<ImageStack> stacks_;
};

Run::Run(const RunRequest& request, const Observer& observer)
    : state_(std::make_unique<State>(request, observer)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

const Study& Run::study() const { return state_->study(); }
const Solution& Run::solution() const { return state_->solved().solution; }
const std::string& Run::quantity(const std::string& name) const {
  return state_->stack(name).signal;
}
const std::string& Run::units(const std::string& name) const { return state_->stack(name).units; }
const std::vector<std::string>& Run::warnings() const { return state_->result().warnings; }
std::string Run::history() const { return state_->run().history(); }

std::string Run::summary() const {
  const Reconstruction& run = state_->run();
  return summary_json(state_->result().summary, run.facts(run.phases()));
}

void Run::save(const std::string& directory, Existing existing, const Observer& observer) const {
  if (existing == Existing::kResume) {
    throw usage_error({directory, "save", "a new directory, or one to overwrite", "resume"});
  }
  state_->run().save(state_->result().summary, directory, start_of(existing), observer.progress);
}

void Run::draw(const std::string& path) const { state_->draw(path); }

DirectoryRun run_in_directory(const DirectoryRequest& request, const Observer& observer) {
  ReconArguments arguments = arguments_of(request.run);
  arguments.out = request.out;
  arguments.start = start_of(request.existing);
  arguments.max_memory = request.max_memory;
  arguments.separate = request.separate;
  const ReconResult result = reconstruct_to_directory(arguments, callbacks_of(observer));
  return {result.summary, result.warnings, !result.chunks_done};
}

StudyOutline read_outline(const std::string& study) {
  const StudyFile file = read_study(study);
  StudyOutline outline{file.name, file.rows, file.columns, file.slices, file.pixel_size, {}};
  for (const SiteEntry& entry : file.sites) outline.sites.push_back(entry.name);
  return outline;
}

std::vector<std::string> stored_image_names(const std::string& path) { return image_names(path); }

StoredImages read_stored_images(const std::string& path, const std::string& name) {
  const ImageSlices images(path, name);
  return {read_images(path, name), images.rows(), images.columns(), images.signal(),
          images.units()};
}

}  // namespace firm
