// Checks that the output directory can be written and has enough free space.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "check/preflight_checks.h"
#include "core/byte_size.h"
#include "io/files/directory_lock.h"
#include "io/files/pending_file.h"
#include "run/memory/memory_estimate.h"

namespace firm::preflight_checks {
namespace {

// Returns the directory itself, or the nearest parent that exists.
std::filesystem::path nearest_existing(const std::string& out) {
  std::filesystem::path path = std::filesystem::absolute(out).lexically_normal();
  std::error_code ignored;
  while (!std::filesystem::exists(path, ignored) && path.has_relative_path()) {
    path = path.parent_path();
  }
  return path;
}

bool can_be_written(const Context& c, const std::filesystem::path& directory) {
  try {
    const PendingFile trial((directory / fmt::format("firm-check-{}", ::getpid())).string());
    return true;
  } catch (const Error& e) {
    c.findings.error(Error::Kind::kData, "out", e.what(),
                     "choose another --out, or get permission to write there");
    return false;
  }
}

bool is_directory(const Context& c, const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return true;
  c.findings.error(Error::Kind::kData, "out",
                   fmt::format("{}: expected a directory, found a file", path.string()),
                   "choose another --out");
  return false;
}

// Whether no other process works in the directory.
bool is_free(const Context& c) {
  if (!DirectoryLock::held(c.arguments.out)) return true;
  c.findings.error(
      Error::Kind::kUsage, "out",
      fmt::format("{}: expected a directory that no other process uses, found one that "
                  "another process uses",
                  c.arguments.out),
      "wait until that process ends, or choose another --out");
  return false;
}

// Says of an earlier run of `firm recon` what the next one will say.
void check_earlier_recon(const Context& c) {
  using Start = RunDirectory::Start;
  const std::string& out = c.arguments.out;
  const std::string mark = mark_of_run(out);
  if (c.arguments.start == Start::kResume) {
    if (std::filesystem::exists(std::filesystem::path(out) / "study.toml") &&
        is_unfinished_run(out)) {
      c.findings.ok("out", fmt::format("{}: the run will be resumed", out));
    } else {
      c.findings.error(
          Error::Kind::kUsage, "out",
          fmt::format("{}: expected an interrupted run to resume, found {}", out,
                      mark == "summary.json" ? "a finished one (summary.json)" : "none"),
          "omit --resume, or give the directory of the interrupted run");
    }
  } else if (!mark.empty() && c.arguments.start == Start::kOverwrite) {
    c.findings.ok("out", fmt::format("{}: the run in it will be replaced", out));
  } else if (!mark.empty()) {
    c.findings.error(
        Error::Kind::kUsage, "out",
        fmt::format("{}: expected a directory without a run, found a run ({})", out, mark),
        "use --resume or --overwrite, or choose another --out");
  }
}

// Reports an earlier run of a federation found in the directory.
void check_earlier_federation(const Context& c) {
  const std::filesystem::path out(c.arguments.out);
  const std::string state = c.arguments.coordinator() ? "coordinator.json" : "federation.json";
  std::optional<std::string> text;
  try {
    text = read_text_file((out / state).string());
  } catch (const Error& error) {
    c.findings.error(Error::Kind::kData, "out", error.what(),
                     "correct the permissions of that file, or choose another --out");
    return;
  }
  const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!text) {
    const bool other_run = std::filesystem::exists(out / "summary.json") ||
                           std::filesystem::exists(out / "history.jsonl");
    if (!other_run) return;
    c.findings.error(Error::Kind::kUsage, "out",
                     fmt::format("{}: expected an empty directory, or the run of a federation, "
                                 "found another run",
                                 c.arguments.out),
                     "choose another --out");
    return;
  }
  if (!json.is_object()) {
    c.findings.error(Error::Kind::kData, "out",
                     fmt::format("{}: expected the state of a run, found something else",
                                 (out / state).string()),
                     "choose another --out; this run cannot be resumed");
    return;
  }
  const std::string run = json.value("run", "");
  if (json.value("finished", false) || json.value("done", false)) {
    c.findings.warning("out", fmt::format("{}: run {} is finished", c.arguments.out, run),
                       "for a new run, choose another --out, here and at all other sites");
  } else {
    c.findings.ok("out", fmt::format("{}: run {} will be resumed", c.arguments.out, run));
  }
}

std::uint64_t disk_space_needed(const Context& c, const StudyToCheck* study,
                                const std::vector<Site>& known) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  if (study == nullptr) return kLeast;
  if (c.arguments.coordinator()) {
    // The coordinator's own state is small, but sites may publish their images.
    const Study all = study_with_one(study->file, Site{});
    return kLeast +
           sizeof(float) * all.pixels() * all.slices * (all.sites.size() + (all.other ? 1 : 0));
  }
  std::uint64_t needed = kLeast;
  for (const Site& site : known) {
    const Study all = study_with_one(study->file, site);
    const std::size_t index = site.kind == SiteKind::kXrt ? all.sites.size() - 1 : 0;
    needed += estimate_disk(study->options, all, index);
  }
  return needed;
}

}  // namespace

void check_out(const Context& c, const StudyToCheck* study, const std::vector<Site>& known) {
  const std::filesystem::path directory = nearest_existing(c.arguments.out);
  if (!is_directory(c, directory) || !can_be_written(c, directory) || !is_free(c)) return;
  if (c.arguments.federated()) {
    check_earlier_federation(c);
  } else {
    check_earlier_recon(c);
  }
  const std::uint64_t needed = disk_space_needed(c, study, known);
  const std::uint64_t free = c.machine.free_disk(directory.string());
  if (needed > free) {
    c.findings.error(Error::Kind::kData, "disk",
                     fmt::format("{}: expected room for {} (results and checkpoints), found {}",
                                 c.arguments.out, byte_size_text(needed), byte_size_text(free)),
                     "choose another --out, or free space on that disk");
    return;
  }
  c.findings.ok("disk", fmt::format("{}: can be written, about {} needed, {} free", c.arguments.out,
                                    byte_size_text(needed), byte_size_text(free)));
}

}  // namespace firm::preflight_checks
