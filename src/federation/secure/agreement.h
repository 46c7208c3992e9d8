// Key agreement: makes one secret for each pair of sites and run. The coordinator, which carries
// the messages, neither learns nor can replace these secrets.
//
// Each site draws an X25519 key for the run. It signs the public half, together with the identity
// of the run (study, roster, run id), with the key of its certificate. From the offers of all peers
// it computes one secret per peer. The first site of the sorted roster then draws the group key,
// which all sites share, and seals it for each peer with their pair secret.
//
// Byte strings are std::string, as in messages. A mistake of a peer or the coordinator throws
// firm::Error of kind kNetwork that names the peer.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "federation/secure/keystream.h"
#include "federation/sums/sum_chain.h"

namespace firm {

// One site in one run.
struct Membership {
  std::string name;
  std::string study;                // SHA-256 of the study
  std::vector<std::string> roster;  // all sites including this one, in any order
  std::string run_id;

  bool operator==(const Membership&) const = default;
};

// Signs bytes with the key of this site's certificate.
using Sign = std::function<std::string(const std::string& bytes)>;
// Returns whether the key in the certificate of `site` made this signature of bytes.
using Verify = std::function<bool(const std::string& site, const std::string& bytes,
                                  const std::string& signature)>;

// The message by which a site offers its key to all peers.
struct Offer {
  Membership from;
  std::string key;  // X25519, 32 bytes
  std::string signature;

  // The bytes that are signed: "firm/v1/offer", name, study, roster, run id, key.
  std::string bytes() const;
  bool operator==(const Offer&) const = default;
};

using PairSecrets = std::map<std::string, Secret>;  // by the peer's name

class Agreement {
 public:
  // Draws the key and signs the offer.
  Agreement(Membership self, const Sign& sign);

  const Offer& offer() const { return offer_; }

  // Computes the pair secrets from one offer per peer, in any order; this site's own may be among
  // them. Refuses a missing site, a second offer of a site, an unknown site, a key of another
  // length, a signature that is not the peer's, another study, roster or run, this site's own key,
  // the same key from two sites, and a key of low order.
  //
  // secret = HKDF(X25519, "firm/v1/pair", study, roster, run id, name and key of both)
  PairSecrets agree(std::span<const Offer> offers, const Verify& verify) const;

 private:
  void check(const Offer& offer, const Verify& verify) const;
  Secret secret_with(const Offer& peer) const;

  Offer offer_;
  Secret private_key_;
};

// X25519 (RFC 7748). Returns nothing when the public key is not 32 bytes or the result is all
// zeros.
std::optional<Secret> x25519(const Secret& private_key, const std::string& public_key);
std::string x25519_public(const Secret& private_key);

// The secret message of the first site of the roster to each peer.
struct GroupKey {
  Secret key;
  std::string totals;  // SumChain of the first site
};

// Seals the group key of the first site of the roster for `peer`: nonce (12 bytes), AES-256-GCM of
// key and totals (32 and 64), tag (16), under a key derived from their pair secret. Bound to study,
// roster, run and both names.
std::string seal_group_key(const GroupKey& group, const Secret& pair, const Membership& first,
                           const std::string& peer);
// Opens it at that peer; throws unless it is, bit for bit, what was sealed for it in this run.
GroupKey open_group_key(const std::string& sealed, const Secret& pair, const Membership& self);

}  // namespace firm
