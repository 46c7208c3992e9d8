// Fingerprint: tells whether two pieces of data are the same, five times as fast as SHA-256.
//
// GMAC under a key that is drawn here and that nobody else has: whoever chooses the data cannot
// look for two pieces with one fingerprint. All are made with the same nonce, so they must never
// leave the process, to which alone they mean something.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "federation/secure/keystream.h"

namespace firm {

using Fingerprint = std::array<std::byte, 16>;

class FingerprintMaker {
 public:
  // Of pieces in a row; where one ends and the next begins counts, too.
  Fingerprint operator()(std::initializer_list<std::span<const std::byte>> pieces) const;

 private:
  Secret key_ = Secret::random();
};

}  // namespace firm
