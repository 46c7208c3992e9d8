// Commitments: a hash of a share that a site writes into its ledger. It reveals nothing until the
// site opens it, by showing the share and the salt; then it proves which share was meant.
//
//     commitment = SHA-256( Transcript("firm/v1/commitment"): salt, run, site, attempt, exchange,
//                           try, fraction bits, number of words, number of scalars
//                           ; words ; scalars )
//
// Words and scalars are those of the caller, before masking and without tags, little-endian. The
// salt has 32 random bytes, so that a share of few values cannot be guessed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "federation/sums/scalar_word.h"

namespace firm {

// The sum of a run that a share is for.
struct SharePosition {
  std::string run = {};
  std::string site = {};
  std::uint32_t attempt = 0;
  std::uint64_t exchange = 0;
  std::uint32_t try_number = 0;

  bool operator==(const SharePosition&) const = default;
};

// The content of a share, as it is before masking.
struct PlainShare {
  std::span<const std::uint32_t> words = {};
  std::span<const ScalarWord> scalars = {};
  int fraction_bits = 0;
};

inline constexpr std::size_t kSaltBytes = 32;
std::string random_salt();

// 64 hexadecimal digits.
std::string commitment_to(const PlainShare& share, const SharePosition& position,
                          const std::string& salt);

// SHA-256 of the words and scalars of a sum, in hexadecimal digits: in chains and ledgers.
std::string hash_of_sum(std::span<const std::uint32_t> words, std::span<const ScalarWord> scalars);

}  // namespace firm
