// Random bits that depend on three numbers only, not on the order in which they are drawn.
#pragma once

#include <cstdint>

namespace firm {

// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

inline std::uint64_t hashed(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) {
  return mixed(mixed(mixed(seed) ^ stream) ^ number);
}

}  // namespace firm
