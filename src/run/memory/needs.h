// What the run of a site takes of its machine, before it is made: estimates that are measured and
// rounded up, so that what is said to fit does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/study/study_file.h"
#include "model/study.h"

namespace firm {

// The program itself, and 64 KiB at a time of what is on its way: part of what is needed.
inline constexpr std::uint64_t kProgramMemory = std::uint64_t{64} << 20;

struct SiteSize {
  std::uint64_t image_bytes = 0;     // one image, all slices
  std::uint64_t sinogram_bytes = 0;  // its own; that of XRT is taken to be as large
  std::size_t images = 1;            // that live at the site: two at an XRT site with `other`
  std::size_t all_images = 1;        // of the study
};

// Of a site of the study.
SiteSize site_size(const StudyFile& file, const Site& site);

std::uint64_t memory_needed(const std::string& method, const SiteSize& size);

// Results, and four checkpoints: three are kept while the next is written.
std::uint64_t disk_needed(const std::string& method, const SiteSize& size);

}  // namespace firm
