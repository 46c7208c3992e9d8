// Fingerprint: compares pieces of data by a hash that is five times as fast as SHA-256.
//
// The hash is GMAC with a random key that never leaves the object, so an attacker who chooses the
// data cannot search for collisions. All fingerprints use the same nonce: they must never leave the
// process, and have no meaning outside it.
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
  // Hashes the pieces in order, including where one ends and the next begins.
  Fingerprint operator()(std::initializer_list<std::span<const std::byte>> pieces) const;

 private:
  Secret key_ = Secret::random();
};

}  // namespace firm
