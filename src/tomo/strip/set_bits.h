// Tables that list the set bits of a byte.
#pragma once

#include <bit>
#include <cstdint>

namespace firm {

// The list is written to memory as one number.
static_assert(std::endian::native == std::endian::little);

struct SetBits {
  std::uint64_t places[256];  // a byte for each bit that is set, lowest first
  std::uint8_t count[256];

  // Places counted from `first` on, at most 255 - 7.
  constexpr std::uint64_t places_from(std::uint8_t bits, int first) const {
    constexpr std::uint64_t kEach = 0x0101010101010101;
    return places[bits] + kEach * static_cast<std::uint64_t>(first);
  }
};

constexpr SetBits make_set_bits() {
  SetBits out{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) == 0) continue;
      out.places[byte] |= std::uint64_t{bit} << (8 * out.count[byte]++);
    }
  }
  return out;
}

inline constexpr SetBits kSetBits = make_set_bits();

}  // namespace firm
