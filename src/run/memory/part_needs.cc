#include "run/memory/part_needs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/byte_size.h"
#include "firm/error.h"
#include "report/pictures/reconstruction_files.h"
#include "run/memory/needs.h"

namespace firm {
namespace {

// Values of a site while it is read: as prepared, their weights, and one copy of some of them.
constexpr std::uint64_t kReadSinograms = 3;
// Images of all while they are put together: as they came, as they were unpacked, in their places.
constexpr std::uint64_t kJoinedImages = 3;

SiteSize size_of(StudyFile file, const Study& study, const Part& part) {
  file.slices = static_cast<int>(part.slices);
  return site_size(file, study.sites[part.site]);
}

}  // namespace

std::uint64_t memory_for_parts(const SolveOptions& options, const StudyFile& file,
                               const Study& study, const std::vector<Part>& parts, bool first) {
  std::uint64_t reading = 0;
  std::uint64_t solving = 0;
  for (const Part& part : parts) {
    const SiteSize size = size_of(file, study, part);
    const SiteSize whole = site_size(file, study.sites[part.site]);
    reading = std::max(reading, kReadSinograms * whole.sinogram_bytes);
    solving += memory_needed(options.method, size) - kProgramMemory;
  }
  std::uint64_t joining = 0;
  if (first) {
    const SiteSize whole = site_size(file, study.sites.front());
    joining = kJoinedImages * (whole.all_images + 1) * whole.image_bytes +  // 1: the multiplier
              memory_for_pictures(study.pixels());
  }
  return kProgramMemory + std::max({reading, solving, joining});
}

void require_memory(std::uint64_t needed, std::uint64_t available, const Study& study,
                    const SolveOptions& options) {
  if (needed <= available) return;
  throw data_error(
      {"memory", "",
       fmt::format("about {} for {} slice{} by {}, site by site", byte_size_text(needed),
                   study.slices, study.slices == 1 ? "" : "s", options.method),
       fmt::format("{} available; --mpi spreads sites and slices over more machines, and without "
                   "--separate --max-memory computes fewer slices at a time",
                   byte_size_text(available))});
}

}  // namespace firm
