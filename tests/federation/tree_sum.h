// Sums in a random order and grouping, to test that neither matters.
#pragma once

#include <random>
#include <utility>
#include <vector>

namespace firm {

// Adds the parts as a random tree of sites and partial sums would.
template <typename Words>
Words tree_sum(std::vector<Words> parts, std::mt19937& random) {
  while (parts.size() > 1) {
    std::swap(parts[random() % parts.size()], parts.back());
    const Words last = std::move(parts.back());
    parts.pop_back();
    add(last, parts[random() % parts.size()]);
  }
  return parts.front();
}

}  // namespace firm
