// The keys of an attempt: offers to and from all peers, through the coordinator, and the group key.
#pragma once

#include <map>
#include <string>

#include "federation/secure/agreement.h"
#include "federation/protocol/ledger.h"
#include "federation/secure/masking.h"
#include "federation/pki/pki.h"
#include "federation/protocol/site_channel.h"

namespace firm {

struct KeyExchange {
  SiteChannel& channel;
  Ledger& ledger;
  const Credentials& credentials;
  std::string site;
  std::string study;                        // its hash
  std::map<std::string, std::string> keys;  // fingerprint of a site's key, where the study has it
  bool allow_two = false;
  SumChain totals = {};  // of the sums before this attempt
};

// Throws ChannelLost, AttemptAbandoned, and firm::Error (kNetwork) that names the peer whose offer
// is not what it should be, or which has had other sums than this site.
Masker exchange_keys(const KeyExchange& with, const v1::Begin& begin);

// A site in an attempt: what its offer and its masks are bound to. `study` is the study's hash.
Membership membership(const std::string& study, const v1::Begin& begin, const std::string& name);

// Sends a message once it is in the ledger.
void send_recorded(SiteChannel& channel, Ledger& ledger, const v1::SiteMessage& message);
// Receives; throws AttemptAbandoned, and firm::Error (kNetwork) for a refusal.
v1::CoordinatorMessage receive_within_attempt(SiteChannel& channel);

}  // namespace firm
