// SliceRange: neighbouring slices of a volume.
#pragma once

#include <cstddef>

namespace firm {

struct SliceRange {
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const SliceRange&) const = default;
};

}  // namespace firm
