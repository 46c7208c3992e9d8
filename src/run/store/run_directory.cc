#include "run/store/run_directory.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "run/store/history.h"
#include "run/store/shard_store.h"

namespace firm {
namespace {

constexpr const char* kHistory = "history.jsonl";
// Files whose presence marks a directory as a run.
constexpr const char* kMarks[] = {"summary.json", "checkpoint.h5", kHistory};
// Further output of a run, removed because a new run may have fewer slices or other sites.
constexpr const char* kResults[] = {"images.h5", "recon", "overview.png", "report.html"};

}  // namespace

std::string mark_of_run(const std::string& path) {
  for (const char* mark : kMarks) {
    if (std::filesystem::exists(std::filesystem::path(path) / mark)) return mark;
  }
  return "";
}

bool is_unfinished_run(const std::string& path) {
  if (!std::filesystem::exists(std::filesystem::path(path) / "summary.json")) return true;
  bool state = ShardStore(path).exists();
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    state = state || entry.path().filename().string().starts_with("checkpoint");
  }
  return state;
}

void RunDirectory::require_no_run(const std::string& path) {
  const std::string mark = mark_of_run(path);
  if (mark.empty()) return;
  throw usage_error({path, "--out", "a directory without a run, or --resume or --overwrite",
                     "a run (" + mark + ")"});
}

RunDirectory::RunDirectory(std::string path, Start start) : path_(std::move(path)) {
  if (start == Start::kResume) return;
  make_directory(path_);
  if (start == Start::kNew) require_no_run(path_);
  for (const char* mark : kMarks) {
    if (!std::filesystem::exists(file(mark))) continue;
    remove(mark);
    for (const char* result : kResults) std::filesystem::remove_all(file(result));
  }
}

std::string RunDirectory::file(const std::string& name) const {
  return (std::filesystem::path(path_) / name).string();
}

std::string RunDirectory::history() const {
  std::ifstream in(file(kHistory));
  return {std::istreambuf_iterator<char>(in), {}};
}

void RunDirectory::open_history(int round) {
  open_history(round > 0 ? lines_before(history(), round) : "");
}

void RunDirectory::open_history(const std::string& lines) {
  history_.reset();
  write_text_file(file(kHistory), lines);
  history_.reset(std::fopen(file(kHistory).c_str(), "a"));
  if (!history_) {
    throw data_error({file(kHistory), "", "a file that can be written", std::strerror(errno)});
  }
}

void RunDirectory::append_history(const std::string& line) {
  if (std::fputs((line + "\n").c_str(), history_.get()) >= 0) return;
  throw data_error({file(kHistory), "", "room for a line", std::strerror(errno)});
}

void RunDirectory::flush_history() {
  if (std::fflush(history_.get()) == 0) return;
  throw data_error({file(kHistory), "", "room for a line", std::strerror(errno)});
}

void RunDirectory::remove(const std::string& name) const {
  std::error_code ignored;
  std::filesystem::remove(file(name), ignored);
}

void RunDirectory::forget_end() const {
  remove("summary.json");
  remove("report.html");
}

}  // namespace firm
