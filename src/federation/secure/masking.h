// Masking: a site masks its share so that the coordinator sees noise, and unmasks the sum (Bonawitz
// et al., 2017, without drop-outs: every site is needed anyway).
//
//     sent_i = share_i + sum_{j > i} S_ij - sum_{j < i} S_ij + [i = p] P       modulo 2^32 or 2^256
//     sum_i sent_i = sum_i share_i + P
//
// S_ij is the stream of a pair, i < j in the sorted roster. P is the pad of site p, which hides the
// sum as well. Normally p is the first site, and the key of P is the group key that all sites
// share. For a sum that only one site may open, p is that site, and the key of P never leaves it.
// All streams depend on the position.
//
// What others learn:
//   - The coordinator learns sizes and times, nothing else.
//   - A coordinator that colludes with k sites learns the sum and the shares of those k sites,
//   hence
//     the sum of the shares of the other sites.
//   - With only two sites, each can compute the share of the other.
//   - Only the site that opens it knows a sum for one site.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "federation/secure/agreement.h"
#include "federation/secure/fingerprint.h"
#include "federation/secure/keystream.h"
#include "federation/secure/sum_tag.h"
#include "federation/sums/word_exchange.h"

namespace firm {

// Masks for one site in one run. Not thread-safe. It remembers which positions it has masked. After
// a restart sites agree on new secrets, since a second Masker with the old ones would lack that
// memory.
class Masker {
 public:
  struct Setup {
    Membership self;
    PairSecrets pairs = {};            // one for each peer, used by no other Masker
    std::optional<Secret> group = {};  // if empty, the coordinator sees the sums that all may open
    bool allow_two = false;            // of two sites each can compute the other's share
  };

  // Throws firm::Error on a roster of two unless setup.allow_two.
  explicit Masker(Setup setup);

  // Masks a share in place. The same share at the same position gives the same result; another
  // share at that position throws std::logic_error, since two of them would reveal their
  // difference.
  void mask(const ShareView& share, const MaskPosition& position);

  // Returns the secret numbers of the tags of this sum, the same at every site. Needs a group key.
  SumTag tag(const ShareView& share, const MaskPosition& position) const;

  // Removes the pad from the sum. When position.opener is set, only that site can.
  void unmask(const ShareView& sum, const MaskPosition& position) const;

 private:
  struct Pad {
    Keystream stream;
    bool added;
  };

  void remember(const ShareView& share, const MaskPosition& position);
  MaskContext context(const MaskPosition& position, MaskKind kind, std::size_t length,
                      int scale) const;
  // Returns the streams of all pairs, and the pad if this site adds it.
  std::vector<Pad> masks(const MaskContext& context) const;
  // Returns the pad of the sum, if there is one, made with the keys of this site.
  std::optional<Keystream> pad(MaskContext context) const;

  Membership self_;
  PairSecrets pairs_;
  std::optional<Secret> group_;
  Secret own_;  // key of the pads of sums that only this site opens
  FingerprintMaker fingerprint_;
  std::map<MaskPosition, Fingerprint> masked_;  // of each share before masking
};

}  // namespace firm
