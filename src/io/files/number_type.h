// Number types of files, and their conversion to float and double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace firm {

struct NumberType {
  enum class Kind { kUnsigned, kSigned, kFloat };
  Kind kind = Kind::kFloat;
  std::size_t bytes = 4;

  // "uint16"
  std::string name() const;
  // Whether it is an integer of 1, 2, 4 or 8 bytes, or a float of 4 or 8.
  bool known() const;

  bool operator==(const NumberType&) const = default;
};

// Convert numbers of a known type, in the byte order of this machine.
void to_float(const std::byte* raw, const NumberType& type, std::span<float> out);
std::vector<double> to_double(std::span<const std::byte> raw, const NumberType& type);

// Swaps the byte order of numbers of `bytes` bytes each.
void reverse_bytes(std::span<std::byte> raw, std::size_t bytes);

// Largest value of an integer type; none for other types.
std::optional<double> largest_value(const std::string& type_name);

// Whether an array of this shape takes at most `limit` bytes. Safe against overflow.
bool fits(const std::vector<std::size_t>& shape, std::size_t bytes, std::uintmax_t limit);

// Most bytes that the values of a file of this size can plausibly take. Deflate compresses at most
// 1030-fold; a file that claims more is damaged, and no memory must be allocated for it.
std::uintmax_t plausible_bytes(std::uintmax_t file_bytes);

}  // namespace firm
