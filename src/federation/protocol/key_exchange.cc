#include "federation/protocol/key_exchange.h"

#include <fmt/format.h>

#include "federation/pki/pinned_keys.h"
#include "federation/protocol/refused.h"
#include "federation/secure/peer_text.h"
#include "federation/sums/wrong_sum.h"
#include "firm/error.h"

namespace firm {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Error unexpected(const std::string& expected) {
  return {Error::Kind::kNetwork, "coordinator: expected " + expected + ", found another message"};
}

v1::SiteMessage offer_message(const KeyExchange& with, const Offer& offer, std::uint32_t attempt) {
  v1::SiteMessage message;
  v1::Offer& o = *message.mutable_offer();
  o.set_attempt(attempt);
  o.set_site(with.site);
  o.set_public_key(offer.key);
  o.set_signature(offer.signature);
  o.set_certificate(with.credentials.certificate_pem);
  return message;
}

// Verifies the peer's certificate and returns its facts; throws firm::Error that names the peer.
CertificateFacts facts_of(const v1::Offer& offer, const KeyExchange& with) {
  try {
    const Instant now = current_instant();
    CertificateFacts facts =
        verify_peer(offer.certificate(), with.credentials.ca_pem, CertificatePurpose::kSite, now);
    if (with.revocation != nullptr) with.revocation->check(facts, "peer's certificate", now);
    if (facts.name == offer.site()) check_pinned_key(with.keys, facts);
    return facts;
  } catch (const Error& e) {
    throw Error(e.kind(),
                fmt::format("key agreement: site {}: {}", peer_text(offer.site()), e.what()));
  }
}

// Returns a check that the key of the certificate sent with the offer made the signature, that the
// study's authority issued this certificate for the peer's name, and that its key is the one that
// the study names, if it names one.
Verify verify_by(const KeyExchange& with, const v1::Offers& offers) {
  return [&](const std::string& site, const std::string& bytes, const std::string& signature) {
    for (const v1::Offer& offer : offers.offers()) {
      if (offer.site() != site) continue;
      const CertificateFacts facts = facts_of(offer, with);
      return facts.name == site &&
             verify_signature(bytes_of(bytes), bytes_of(signature), offer.certificate());
    }
    return false;
  };
}

PairSecrets agree_on_pairs(const KeyExchange& with, const v1::Begin& begin) {
  const Agreement agreement(
      membership(with.study, begin, with.site), [&](const std::string& bytes) {
        const auto signature = sign_bytes(bytes_of(bytes), with.credentials.key_pem);
        return std::string(reinterpret_cast<const char*>(signature.data()), signature.size());
      });
  send_recorded(with.channel, with.ledger, offer_message(with, agreement.offer(), begin.attempt()));
  const v1::CoordinatorMessage message = receive_within_attempt(with.channel);
  if (!message.has_offers()) throw unexpected("the offers of all sites");
  std::vector<Offer> offers;
  for (const v1::Offer& o : message.offers().offers()) {
    offers.push_back({membership(with.study, begin, o.site()), o.public_key(), o.signature()});
  }
  return agreement.agree(offers, verify_by(with, message.offers()));
}

// Every other site compares its chain with that of the first site, so all are equal in the end. The
// coordinator cannot forge the first site's chain: it arrives sealed by that site. Before any sum
// there is nothing that the coordinator could have changed.
void check_totals(const std::string& of_first, const SumChain& own, const std::string& first) {
  if (of_first == own.text()) return;
  const std::string site = fmt::format("key agreement: site {}: ", peer_text(first));
  if (own.text() == SumChain().text()) {
    throw Error(Error::Kind::kNetwork,
                site + "expected the hash of no sums at the start of a run, found another");
  }
  throw WrongSum(site +
                 "expected a site that has received the same sums so far as this one, found one "
                 "that has not: the coordinator has sent them different sums");
}

// The first site of the roster draws the group key, the others receive it.
Secret agree_on_group(const KeyExchange& with, const v1::Begin& begin, const PairSecrets& pairs) {
  const Membership self = membership(with.study, begin, with.site);
  const std::string first = sorted_roster(self.roster).front();
  if (with.site != first) {
    const v1::CoordinatorMessage message = receive_within_attempt(with.channel);
    if (!message.has_sealed_key()) throw unexpected("the group key");
    GroupKey group = open_group_key(message.sealed_key().sealed(), pairs.at(first), self);
    check_totals(group.totals, with.totals, first);
    return std::move(group.key);
  }
  const GroupKey group{Secret::random(), with.totals.text()};
  v1::SiteMessage message;
  message.mutable_sealed_keys()->set_attempt(begin.attempt());
  for (const auto& [peer, secret] : pairs) {
    v1::SealedKey& key = *message.mutable_sealed_keys()->add_keys();
    key.set_attempt(begin.attempt());
    key.set_from(with.site);
    key.set_to(peer);
    key.set_sealed(seal_group_key(group, secret, self, peer));
  }
  send_recorded(with.channel, with.ledger, message);
  return group.key.clone();
}

}  // namespace

Membership membership(const std::string& study, const v1::Begin& begin, const std::string& name) {
  Membership m{
      name, study, {}, fmt::format("{}/{}/{}", begin.run(), begin.attempt(), begin.round())};
  for (const v1::Member& member : begin.members()) m.roster.push_back(member.site());
  return m;
}

void send_recorded(SiteChannel& channel, Ledger& ledger, const v1::SiteMessage& message,
                   const LedgerNote& note) {
  ledger.record(message, note);
  channel.send(message);
}

void require_no_wrong_sum(const v1::CoordinatorMessage& message) {
  if (message.has_abandon() && message.abandon().wrong_sum()) {
    throw WrongSum(peer_text(message.abandon().reason()));
  }
}

v1::CoordinatorMessage receive_within_attempt(SiteChannel& channel) {
  v1::CoordinatorMessage message = channel.receive();
  require_no_wrong_sum(message);
  if (message.has_abandon()) throw AttemptAbandoned(peer_text(message.abandon().reason()));
  if (message.has_refusal()) {
    throw Refused(message.refusal());
  }
  return message;
}

Masker exchange_keys(const KeyExchange& with, const v1::Begin& begin) {
  PairSecrets pairs = agree_on_pairs(with, begin);
  Secret group = agree_on_group(with, begin, pairs);
  return Masker({membership(with.study, begin, with.site), std::move(pairs), std::move(group),
                 with.allow_two});
}

}  // namespace firm
