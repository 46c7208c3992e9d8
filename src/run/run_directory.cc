#include "run/run_directory.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "firm/error.h"
#include "io/pending_file.h"

namespace firm {
namespace {

constexpr const char* kHistory = "history.jsonl";
// Files whose presence tells that a directory holds a run.
constexpr const char* kMarks[] = {"summary.json", "checkpoint.h5", kHistory};

// Lines of rounds before `round`; a last line that was cut off is dropped.
std::string kept_lines(const std::string& path, int round) {
  std::ifstream in(path);
  std::string kept;
  std::string line;
  while (std::getline(in, line)) {
    const auto j = nlohmann::json::parse(line, nullptr, false);
    if (j.is_discarded() || !j.contains("round") || j["round"].get<int>() >= round) break;
    kept += line + "\n";
  }
  return kept;
}

}  // namespace

RunDirectory::RunDirectory(std::string path, Start start) : path_(std::move(path)) {
  if (start == Start::kResume) return;
  make_directory(path_);
  for (const char* mark : kMarks) {
    if (!std::filesystem::exists(file(mark))) continue;
    if (start == Start::kNew) {
      throw usage_error({path_, "--out", "a directory without a run, or --resume or --overwrite",
                         std::string("a run (") + mark + ")"});
    }
    remove(mark);
  }
}

std::string RunDirectory::file(const std::string& name) const {
  return (std::filesystem::path(path_) / name).string();
}

void RunDirectory::open_history(int round) {
  write_text_file(file(kHistory), round > 0 ? kept_lines(file(kHistory), round) : "");
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

}  // namespace firm
