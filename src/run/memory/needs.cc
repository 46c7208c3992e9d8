#include "run/memory/needs.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace firm {
namespace {

constexpr std::uint64_t kLogs = std::uint64_t{16} << 20;  // ledger, history
constexpr std::uint64_t kReport = std::uint64_t{20} << 20;
constexpr std::uint64_t kCheckpoints = 4;

// In images and sinograms: the largest resident size of `firm site`, on 512^2 pixels with 180
// angles and on 192^2 with 1440, 16 slices each; and what Method::archive names.
struct Parts {
  std::string_view method;
  std::uint64_t images;
  std::uint64_t all_images;  // one for each image of the study
  std::uint64_t sinograms;
  std::uint64_t state_images;
  std::uint64_t state_all_images;
  std::uint64_t state_sinograms;
};

constexpr std::array<Parts, 6> kParts = {{{"firm-ds", 12, 0, 19, 2, 0, 4},
                                          {"firm", 10, 0, 9, 1, 0, 0},
                                          {"firm+", 15, 0, 9, 2, 0, 0},
                                          {"fedpgd", 8, 4, 10, 2, 2, 1},
                                          {"pgd", 9, 0, 10, 2, 0, 2},
                                          {"plsqr", 11, 0, 7, 3, 0, 1}}};

const Parts& parts_of(const std::string& method) {
  const auto* found = std::find_if(kParts.begin(), kParts.end(),
                                   [&](const Parts& p) { return p.method == method; });
  return found == kParts.end() ? kParts.front() : *found;
}

}  // namespace

SiteSize site_size(const StudyFile& file, const Site& site) {
  const auto slices = static_cast<std::uint64_t>(file.slices);
  SiteSize size;
  size.image_bytes = slices * sizeof(float) * static_cast<std::uint64_t>(file.rows) *
                     static_cast<std::uint64_t>(file.columns);
  size.sinogram_bytes = slices * sizeof(float) * site.geometry.rays();
  size.images = site.kind == SiteKind::kXrt && file.other ? 2 : 1;
  size.all_images = file.sites.size() + (file.other ? 1 : 0);
  return size;
}

std::uint64_t memory_needed(const std::string& method, const SiteSize& s) {
  const Parts& p = parts_of(method);
  return kProgramMemory + (p.images * s.images + p.all_images * s.all_images) * s.image_bytes +
         p.sinograms * s.sinogram_bytes;
}

std::uint64_t disk_needed(const std::string& method, const SiteSize& s) {
  const Parts& p = parts_of(method);
  // HDF5 and TIFF have all values, PNG a part of them; HDF5 has the multiplier, too.
  const std::uint64_t results = (3 * s.images + 1) * s.image_bytes;
  const std::uint64_t state =
      (p.state_images * s.images + p.state_all_images * s.all_images) * s.image_bytes +
      p.state_sinograms * s.sinogram_bytes;
  return kLogs + kReport + results + kCheckpoints * state;
}

}  // namespace firm
