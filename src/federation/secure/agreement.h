// Key agreement: one secret for each pair of sites and run, which the coordinator that carries the
// messages does not learn and cannot replace.
//
// Each site draws an X25519 key for the run and signs its public half, together with what the run
// is (study, roster, run id), by the key of its certificate. From the offers of all peers it
// computes one secret per peer. The first site of the sorted roster then draws the group key, which
// all sites share, and seals it to each peer under their secret.
//
// Byte strings are std::string, as messages carry them. What a peer or the coordinator got wrong
// throws firm::Error of kind kNetwork, which names the peer.
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
  std::vector<std::string> roster;  // all sites, this one among them, in any order
  std::string run_id;

  bool operator==(const Membership&) const = default;
};

// Signature of bytes by the key of this site's certificate.
using Sign = std::function<std::string(const std::string& bytes)>;
// Whether the signature of bytes is by the certificate of the site of that name.
using Verify = std::function<bool(const std::string& site, const std::string& bytes,
                                  const std::string& signature)>;

// What a site sends to its peers.
struct Offer {
  Membership from;
  std::string key;  // X25519, 32 bytes
  std::string signature;

  // What is signed: "firm/v1/offer", name, study, roster, run id, key.
  std::string bytes() const;
  bool operator==(const Offer&) const = default;
};

using PairSecrets = std::map<std::string, Secret>;  // by the peer's name

class Agreement {
 public:
  // Draws the key.
  Agreement(Membership self, const Sign& sign);

  const Offer& offer() const { return offer_; }

  // One offer from each peer, in any order; this site's own may be among them. Refuses: a missing,
  // second or unknown site, a key of another length, a signature that is not the peer's, another
  // study, roster or run, this site's own key, one key from two sites, a key of low order.
  //
  // secret = HKDF(X25519, "firm/v1/pair", study, roster, run id, name and key of both)
  PairSecrets agree(std::span<const Offer> offers, const Verify& verify) const;

 private:
  void check(const Offer& offer, const Verify& verify) const;
  Secret secret_with(const Offer& peer) const;

  Offer offer_;
  Secret private_key_;
};

// X25519 (RFC 7748). Nothing when the public key is not 32 bytes or the result is all zeros.
std::optional<Secret> x25519(const Secret& private_key, const std::string& public_key);
std::string x25519_public(const Secret& private_key);

// What the first site of the roster tells each peer in secret.
struct GroupKey {
  Secret key;
  std::string totals;  // of that site, see SumChain
};

// The group key as the first site of the roster sends it to `peer`: nonce (12 bytes), AES-256-GCM
// of key and totals (32 and 64), tag (16), under a key derived from their pair secret. Bound to
// study, roster, run, both names.
std::string seal_group_key(const GroupKey& group, const Secret& pair, const Membership& first,
                           const std::string& peer);
// As that peer opens it; throws if it is not, to the bit, what was sealed for it in this run.
GroupKey open_group_key(const std::string& sealed, const Secret& pair, const Membership& self);

}  // namespace firm
