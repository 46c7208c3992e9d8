#include "io/files/number_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "firm/error.h"

namespace firm {
namespace {

template <typename T>
T load(const std::byte* raw) {
  T value;
  std::memcpy(&value, raw, sizeof value);
  return value;
}

// Calls `use` with a T of the type.
template <typename Use>
void with_type(const NumberType& type, const Use& use) {
  FIRM_CHECK(type.known());
  using Kind = NumberType::Kind;
  if (type.kind == Kind::kFloat) return type.bytes == 4 ? use(float{}) : use(double{});
  const bool has_sign = type.kind == Kind::kSigned;
  switch (type.bytes) {
    case 1:
      return has_sign ? use(std::int8_t{}) : use(std::uint8_t{});
    case 2:
      return has_sign ? use(std::int16_t{}) : use(std::uint16_t{});
    case 4:
      return has_sign ? use(std::int32_t{}) : use(std::uint32_t{});
    default:
      return has_sign ? use(std::int64_t{}) : use(std::uint64_t{});
  }
}

template <typename Out>
void convert(const std::byte* raw, const NumberType& type, std::span<Out> out) {
  with_type(type, [&](auto example) {
    using T = decltype(example);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = static_cast<Out>(load<T>(raw + k * sizeof(T)));
    }
  });
}

}  // namespace

std::string NumberType::name() const {
  const char* kinds[] = {"uint", "int", "float"};
  return fmt::format("{}{}", kinds[static_cast<int>(kind)], 8 * bytes);
}

bool NumberType::known() const {
  if (kind == Kind::kFloat) return bytes == 4 || bytes == 8;
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

void to_float(const std::byte* raw, const NumberType& type, std::span<float> out) {
  convert(raw, type, out);
}

std::vector<double> to_double(std::span<const std::byte> raw, const NumberType& type) {
  std::vector<double> values(raw.size() / type.bytes);
  convert(raw.data(), type, std::span<double>(values));
  return values;
}

void reverse_bytes(std::span<std::byte> raw, std::size_t bytes) {
  for (std::size_t at = 0; at + bytes <= raw.size(); at += bytes) {
    std::reverse(raw.data() + at, raw.data() + at + bytes);
  }
}

std::optional<double> largest_value(const std::string& type_name) {
  for (std::size_t bytes = 1; bytes <= 8; bytes *= 2) {
    const auto bits = static_cast<int>(8 * bytes);
    if (type_name == NumberType{NumberType::Kind::kUnsigned, bytes}.name()) {
      return std::ldexp(1.0, bits) - 1;
    }
    if (type_name == NumberType{NumberType::Kind::kSigned, bytes}.name()) {
      return std::ldexp(1.0, bits - 1) - 1;
    }
  }
  return {};
}

bool fits(const std::vector<std::size_t>& shape, std::size_t bytes, std::uintmax_t limit) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  std::uintmax_t left = limit / bytes;
  for (const std::size_t n : shape) {
    if (n > left) return false;
    left /= n;
  }
  return left > 0;
}

std::uintmax_t plausible_bytes(std::uintmax_t file_bytes) {
  constexpr std::uintmax_t kExpansion = 2000;
  constexpr std::uintmax_t kSmall =
      std::uintmax_t{16} << 20;  // small files may describe values that were never written
  return kExpansion * file_bytes + kSmall;
}

}  // namespace firm
