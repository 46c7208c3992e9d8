// Numbers as files store them: which type, and how they become float.
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

// Of a known type, in the byte order of this machine.
void to_float(const std::byte* raw, const NumberType& type, std::span<float> out);
std::vector<double> to_double(std::span<const std::byte> raw, const NumberType& type);

// Turns every number of so many bytes round.
void reverse_bytes(std::span<std::byte> raw, std::size_t bytes);

// The largest value that an integer type of this name has; nothing for others.
std::optional<double> largest_value(const std::string& type_name);

// Whether an array of this shape takes at most `limit` bytes, for shapes of any size.
bool fits(const std::vector<std::size_t>& shape, std::size_t bytes, std::uintmax_t limit);

// What a file of so many bytes may say that its values take. Compression makes the most of
// constant values, and deflate not more than 1030 times less of them; a file that claims more is
// damaged, and memory must not be taken on its word.
std::uintmax_t plausible_bytes(std::uintmax_t file_bytes);

}  // namespace firm
