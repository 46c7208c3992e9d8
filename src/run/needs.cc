#include "run/needs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/parallel.h"

namespace firm {
namespace {

// The program itself, and 64 KiB at a time of what is on its way.
constexpr std::uint64_t kProgram = std::uint64_t{64} << 20;
constexpr std::uint64_t kLogs = std::uint64_t{16} << 20;  // ledger, history
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

// The same for a run that hosts all sites: multiples of one image, and of one sinogram, of every
// site. With geometries that differ there are copies by geometry, and firm-ds has two terms.
struct RunParts {
  std::string_view method;
  std::uint64_t images;
  std::uint64_t apart_images;
  std::uint64_t sinograms;
  std::uint64_t shared_sinograms;  // on the rays of XRT
};

constexpr std::array<RunParts, 6> kRunParts = {{{"firm-ds", 9, 3, 8, 6},
                                                {"firm", 7, 1, 4, 0},
                                                {"firm+", 8, 1, 4, 0},
                                                {"fedpgd", 8, 1, 4, 0},
                                                {"pgd", 8, 1, 8, 0},
                                                {"plsqr", 9, 1, 6, 0}}};
constexpr std::uint64_t kReading = std::uint64_t{64} << 20;
constexpr std::uint64_t kPictures = std::uint64_t{8} << 20;  // of every thread
constexpr std::uint64_t kPictureImages = 4;

template <typename Table>
const auto& find(const Table& table, const std::string& method) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& p) { return p.method == method; });
  return found == table.end() ? table.front() : *found;
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
  const Parts& p = find(kParts, method);
  return kProgram + (p.images * s.images + p.all_images * s.all_images) * s.image_bytes +
         p.sinograms * s.sinogram_bytes;
}

RunNeeds run_needs(const std::string& method, const Study& study, bool truth) {
  const RunParts& p = find(kRunParts, method);
  const bool common = study.common_geometry();
  const std::size_t images = study.sites.size() + (study.other ? 1 : 0);
  std::uint64_t rays = 0;
  for (const Site& site : study.sites) rays += site.geometry.rays();
  const std::uint64_t shared = (images - 1) * study.xrt().geometry.rays();
  const std::uint64_t image_values =
      (p.images + (common ? 0 : p.apart_images) + (truth ? 1 : 0)) * images * study.pixels();
  const std::uint64_t ray_values = p.sinograms * rays + (common ? 0 : p.shared_sinograms * shared);
  return {kProgram + kReading + kPictures * static_cast<std::uint64_t>(thread_count(0)) +
              kPictureImages * sizeof(float) * study.pixels(),
          sizeof(float) * (image_values + ray_values)};
}

std::uint64_t disk_needed(const std::string& method, const SiteSize& s) {
  const Parts& p = find(kParts, method);
  // HDF5 and TIFF have all values, PNG a part of them; HDF5 has the multiplier, too.
  const std::uint64_t results = (3 * s.images + 1) * s.image_bytes;
  const std::uint64_t state =
      (p.state_images * s.images + p.state_all_images * s.all_images) * s.image_bytes +
      p.state_sinograms * s.sinogram_bytes;
  return kLogs + results + kCheckpoints * state;
}

}  // namespace firm
