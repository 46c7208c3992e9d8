// SumTag: lets a site check that a total is the sum of the shares of all sites.
//
// Each site adds two tags to its share, and the tags add up like the share itself:
//
//     t_i = sum_k rho_k X_i[k]  modulo p = 2^63 - 25      X_i: words, as signed integers
//     u_i = sum_k r_k   Z_i[k]  modulo q = 2^256 + 297    Z_i: scalars, as signed integers
//
// rho and r are secret: they come from a stream that all sites share and the coordinator does not,
// another one for every sum. Shares are encoded so that their sums S and Z over the sites do not
// wrap. So a total is right only if
//
//     sum_k rho_k S[k] = T  modulo p,   0 <= T < N p            T = sum_i t_i, as integers
//     sum_k r_k   Z[k] = U + m 2^256  modulo q,  0 <= m <= N    U = sum_i u_i modulo 2^256
//
// Bound. The coordinator sees no rho: tags are masked like all scalars. Whatever it adds to a total
// changes some S[k] by less than 2^32 < p, or some Z[k] by less than 2^256 < q, hence by a number
// that has an inverse. rho_k = a[k / 512] b[k mod 512] modulo p, so changed words pass if all their
// sums with b are 0 (probability 1/p), or else if a hits one number (1/p): 2/p, about 2^-62 in all.
// (The range of T fixes by how much an altered T differs from the right one.) Changed scalars pass
// for 2N + 2 values of q: (2N + 2) / 2^256.
//
// Whoever knows the stream can forge tags: a coordinator and a site together can add to a total.
// That site could have added as much to its share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "federation/secure/keystream.h"
#include "federation/sums/word_exchange.h"

namespace firm {

// The tags of words and of scalars. They travel after the scalars of a share.
using Tags = std::array<ScalarWord, 2>;

// The secret numbers of one sum.
class SumTag {
 public:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 63) - 25;
  static constexpr std::size_t kBlock = 512;  // words that share a number a

  // Reads from the stream: r, 32 bytes for each scalar; b, 16 bytes for each of the first kBlock
  // words; a, 16 bytes for each block. Numbers are little-endian; a and b are taken modulo p.
  SumTag(Keystream stream, std::size_t words, std::size_t scalars);
  ~SumTag();  // wipes them
  SumTag(SumTag&&) noexcept = default;
  SumTag& operator=(SumTag&& other) noexcept;  // wipes the old ones

  // Makes the tags of a share, before it is masked.
  Tags of(std::span<const std::uint32_t> words, std::span<const ScalarWord> scalars) const;

  // Returns whether these are the sums over all sites, given the sums of their tags.
  bool matches(std::span<const std::uint32_t> words, std::span<const ScalarWord> scalars,
               const Tags& tags, std::size_t sites) const;

 private:
  void wipe();
  // sum_k rho_k X[k] modulo p.
  std::uint64_t of_words(std::span<const std::uint32_t> words) const;

  std::vector<std::uint64_t> a_;
  std::vector<std::uint64_t> b_;
  std::vector<ScalarWord> r_;
};

}  // namespace firm
