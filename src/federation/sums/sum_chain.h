// SumChain: one hash for all sums that a site has had, so that sites can tell whether they have had
// the same.
//
//     chain_0 = 64 zeros,   chain_k = SHA-256(chain_{k-1}, SHA-256 of sum k)     in hexadecimal
//     digits
#pragma once

#include <cstddef>
#include <string>

#include "solve/archive.h"

namespace firm {

class SumChain {
 public:
  static constexpr std::size_t kDigits = 64;

  // One more sum, by its hash.
  void add(const std::string& hash);
  void archive(Archive& archive);

  const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(kDigits, '0');
};

}  // namespace firm
