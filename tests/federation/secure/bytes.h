// Helpers for tests of cryptography: hexadecimal digits, hashes, secrets.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "federation/secure/keystream.h"
#include "io/files/sha256.h"

namespace firm {

inline std::string unhex(std::string_view digits) {
  std::string bytes;
  for (std::size_t k = 0; k + 1 < digits.size(); k += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(k, 2)), nullptr, 16));
  }
  return bytes;
}

inline std::string hex(std::span<const std::byte> bytes) {
  std::string digits;
  for (const std::byte b : bytes) {
    for (const int shift : {4, 0}) {
      digits += "0123456789abcdef"[std::to_integer<unsigned>(b) >> shift & 15];
    }
  }
  return digits;
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string sha256(const std::string& text) {
  Sha256 hash;
  hash.add(text);
  return hash.finish();
}

// A secret of these 32 bytes.
inline Secret secret(const std::string& bytes) {
  return Secret(bytes_of(bytes).first<Secret::kSize>());
}

// A secret derived from the text, so that statistical tests are reproducible.
inline Secret secret_of(const std::string& text) { return secret(unhex(sha256(text))); }

}  // namespace firm
