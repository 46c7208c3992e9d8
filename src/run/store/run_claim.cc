#include "run/store/run_claim.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "firm/error.h"
#include "io/files/pending_file.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

// Throws unless `out`, or the nearest of its parents that exists, is a directory to write in.
void require_writable(const std::string& out) {
  std::error_code ignored;
  fs::path there = fs::absolute(out, ignored);
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  const auto refuse = [&](const std::string& found) {
    throw data_error({out, "--out", "a directory that exists or can be created",
                      fmt::format("{}: {}", there.string(), found)});
  };
  if (!fs::is_directory(there, ignored)) refuse("not a directory");
  if (::access(there.c_str(), W_OK | X_OK) != 0) refuse(std::strerror(errno));
}

}  // namespace

RunClaim::RunClaim(std::string path, RunDirectory::Start start) : path_(std::move(path)) {
  require_writable(path_);
  const bool locked = fs::exists(fs::path(path_) / DirectoryLock::kFile);
  if (locked || start == RunDirectory::Start::kResume) lock_.emplace(path_);
  if (start == RunDirectory::Start::kNew) RunDirectory::require_no_run(path_);
}

void RunClaim::take() {
  make_directory(path_);
  if (!lock_) lock_.emplace(path_);
}

}  // namespace firm
