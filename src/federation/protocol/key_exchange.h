// Key exchange of an attempt: sends and receives the offers of all peers through the coordinator,
// and distributes the group key.
#pragma once

#include <map>
#include <string>

#include "federation/audit/kept_shares.h"
#include "federation/pki/certificates.h"
#include "federation/pki/revocation.h"
#include "federation/protocol/ledger.h"
#include "federation/protocol/site_channel.h"
#include "federation/secure/agreement.h"
#include "federation/secure/masking.h"

namespace firm {

struct KeyExchange {
  SiteChannel& channel;
  Ledger& ledger;
  const Credentials& credentials;
  std::string site;
  std::string study;                        // hash of the study
  std::map<std::string, std::string> keys;  // key fingerprints that the study names, by site
  bool allow_two = false;
  SumChain totals = {};                   // chain of the sums before this attempt
  const KeptShares* kept = nullptr;       // if set, keeps every share
  RevocationCheck* revocation = nullptr;  // of certificates of peers; null: none
};

// Throws ChannelLost, AttemptAbandoned, Refused, WrongSum when the coordinator has sent other sums
// to a peer than to this site, and another firm::Error (kNetwork) that names a peer whose offer is
// invalid.
Masker exchange_keys(const KeyExchange& with, const v1::Begin& begin);

// Identifies a site in an attempt; its offer and its masks are bound to that. `study` is the
// study's hash.
Membership membership(const std::string& study, const v1::Begin& begin, const std::string& name);

// Writes the message to the ledger, then sends it.
void send_recorded(SiteChannel& channel, Ledger& ledger, const v1::SiteMessage& message,
                   const LedgerNote& note = {});
// Receives a message; throws AttemptAbandoned, Refused, and WrongSum when another site has found
// one.
v1::CoordinatorMessage receive_within_attempt(SiteChannel& channel);
// Throws WrongSum when the message says that another site has found one.
void require_no_wrong_sum(const v1::CoordinatorMessage& message);

}  // namespace firm
