// Masking: what one site does to its share so that the coordinator sees noise, and to the sum so
// that it sees the sum (Bonawitz et al., 2017, without drop-outs: every site is needed anyway).
//
//     sent_i = share_i + sum_{j > i} S_ij - sum_{j < i} S_ij + [i = p] P       modulo 2^32 or 2^256
//     sum_i sent_i = sum_i share_i + P
//
// S_ij is the stream of a pair, i < j in the sorted roster; P is the pad of site p, which hides the
// sum too: the first site, under the group key that all sites share, or, for a sum that only one
// site may open, that site, under a key it keeps to itself. All streams depend on the position.
//
// What others learn: the coordinator nothing but sizes and times; with k sites on its side the sum
// and what those k contributed, hence the sum of the others'. Of two sites each knows the other's
// share. A sum that one site opens is known to that site alone.
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
#include "federation/sums/word_exchange.h"

namespace firm {

// One site in one run. Not thread-safe. It remembers which positions it has masked; after a restart
// sites agree on new secrets, since a second Masker with the old ones would not know.
class Masker {
 public:
  struct Setup {
    Membership self;
    PairSecrets pairs = {};            // one for each peer, used by no other Masker
    std::optional<Secret> group = {};  // none: the coordinator sees the sums that all may open
    bool allow_two = false;            // of two sites each knows the other's share
  };

  // Throws firm::Error on a roster of two that is not allowed explicitly.
  explicit Masker(Setup setup);

  // A share is masked once per position: the same again gives the same, another share under the
  // same position throws std::logic_error, since two of them would give away their difference.
  void mask(const ShareView& share, const MaskPosition& position);

  // Takes the pad off the sum. Where position.opener is set, only that site can.
  void unmask(const ShareView& sum, const MaskPosition& position) const;

 private:
  struct Pad {
    Keystream stream;
    bool added;
  };

  void remember(const ShareView& share, const MaskPosition& position);
  MaskContext context(const MaskPosition& position, MaskKind kind, std::size_t length,
                      int scale) const;
  // The streams of all pairs, and the pad if this site adds it.
  std::vector<Pad> masks(const MaskContext& context) const;
  // The pad of the sum, if there is one, as this site knows it.
  std::optional<Keystream> pad(MaskContext context) const;

  Membership self_;
  PairSecrets pairs_;
  std::optional<Secret> group_;
  Secret own_;  // of the sums that only this site opens
  FingerprintMaker fingerprint_;
  std::map<MaskPosition, Fingerprint> masked_;  // of the share before masking
};

}  // namespace firm
