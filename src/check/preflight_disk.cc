// Whether there is a directory to write to, with room in it.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/byte_size.h"
#include "io/files/pending_file.h"
#include "run/memory/needs.h"
#include "check/preflight_checks.h"

namespace firm::preflight_checks {
namespace {

// The directory itself, or the one in which it would be made.
std::filesystem::path nearest(const std::string& out) {
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
    c.findings.wrong(Error::Kind::kData, "out", e.what(),
                     "another --out, or the right to write there");
    return false;
  }
}

// What an earlier run has left there.
void tell_earlier_run(const Context& c) {
  const std::filesystem::path out(c.arguments.out);
  const std::string state = c.arguments.coordinator() ? "coordinator.json" : "federation.json";
  std::optional<std::string> text;
  try {
    text = read_text_file((out / state).string());
  } catch (const Error& error) {
    c.findings.wrong(Error::Kind::kData, "out", error.what(),
                     "the rights of that file, or another --out");
    return;
  }
  const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!text) {
    const bool foreign = std::filesystem::exists(out / "summary.json") ||
                         std::filesystem::exists(out / "history.jsonl");
    if (!foreign || !c.arguments.federated()) return;
    c.findings.wrong(Error::Kind::kUsage, "out",
                     fmt::format("{}: expected an empty directory, or the run of a federation, "
                                 "found another run",
                                 c.arguments.out),
                     "another --out");
    return;
  }
  if (!json.is_object()) {
    c.findings.wrong(Error::Kind::kData, "out",
                     fmt::format("{}: expected the state of a run, found something else",
                                 (out / state).string()),
                     "another --out; this run cannot be gone on with");
    return;
  }
  const std::string run = json.value("run", "");
  if (json.value("finished", false) || json.value("done", false)) {
    c.findings.warning("out", fmt::format("{}: run {} is finished", c.arguments.out, run),
                       "another --out, here and at all others, for a new run");
  } else {
    c.findings.ok("out", fmt::format("{}: run {} is gone on with", c.arguments.out, run));
  }
}

std::uint64_t room_needed(const Context& c, const StudyToCheck* study,
                          const std::vector<Site>& known) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  if (study == nullptr) return kLeast;
  if (c.arguments.coordinator()) {
    // Its own state is small; sites may publish their images.
    const SiteSize size = site_size(study->file, Site{});
    return kLeast + size.image_bytes * size.all_images;
  }
  std::uint64_t needed = kLeast;
  for (const Site& site : known) {
    needed += disk_needed(study->options.method, site_size(study->file, site));
  }
  return needed;
}

}  // namespace

void check_out(const Context& c, const StudyToCheck* study, const std::vector<Site>& known) {
  const std::filesystem::path directory = nearest(c.arguments.out);
  if (!can_be_written(c, directory)) return;
  tell_earlier_run(c);
  const std::uint64_t needed = room_needed(c, study, known);
  const std::uint64_t free = c.machine.free_disk(directory.string());
  if (needed > free) {
    c.findings.wrong(Error::Kind::kData, "disk",
                     fmt::format("{}: expected room for {} (results and checkpoints), found {}",
                                 c.arguments.out, byte_size_text(needed), byte_size_text(free)),
                     "another --out, or fewer files on that disk");
    return;
  }
  c.findings.ok("disk", fmt::format("{}: can be written, about {} needed, {} free", c.arguments.out,
                                    byte_size_text(needed), byte_size_text(free)));
}

}  // namespace firm::preflight_checks
