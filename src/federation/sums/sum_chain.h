// SumChain: one hash of all sums that a site has received, so that sites can check that they have
// received the same sums.
//
//     chain_0 = 64 zeros,   chain_k = SHA-256(chain_{k-1}, SHA-256 of sum k)
//
// All hashes are hexadecimal digits.
#pragma once

#include <cstddef>
#include <string>

#include "core/archive.h"

namespace firm {

class SumChain {
 public:
  static constexpr std::size_t kDigits = 64;

  // Appends a sum, given by its hash.
  void add(const std::string& hash);
  void archive(Archive& archive);

  const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(kDigits, '0');
};

}  // namespace firm
