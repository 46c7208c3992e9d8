// Key exchange of an attempt, through a coordinator that tampers with it.
#include "federation/protocol/key_exchange.h"

#include <gtest/gtest.h>

#include "federation/secure/bytes.h"
#include "federation/secure/secure_federation.h"

namespace firm {
namespace {

class KeyExchangeTest : public SecureFederation {
 protected:
  static v1::Offer& offer_of(v1::CoordinatorMessage& message, const std::string& site) {
    for (v1::Offer& offer : *message.mutable_offers()->mutable_offers()) {
      if (offer.site() == site) return offer;
    }
    throw std::logic_error("no such offer");
  }

  // Returns the error of site c when the offer of b was changed on its way to c.
  void expect_refused(const std::function<void(v1::Offer&)>& change, const std::string& part) {
    start();
    changes_[2] = [&](v1::CoordinatorMessage& m) {
      if (m.has_offers()) change(offer_of(m, "b"));
    };
    expect_refused_by(2, "site b", part);
  }

  // Expects that no site sums; the error of site i names the reason and the peer.
  void expect_refused_by(std::size_t i, const std::string& peer, const std::string& part) {
    bool summed = false;
    const std::vector<Ending> endings = attempt([&](const AtSite& at) {
      at.collective.sum({}, {});
      summed = true;
    });
    EXPECT_FALSE(summed);
    EXPECT_EQ(endings[i].kind, Error::Kind::kNetwork) << endings[i].text;
    EXPECT_CONTAINS(endings[i].text, peer);
    EXPECT_CONTAINS(endings[i].text, part);
    for (const std::size_t other : {(i + 1) % kCount, (i + 2) % kCount}) {
      EXPECT_TRUE(endings[other].abandoned) << endings[other].text;
    }
  }

  // Signs the offer with these credentials.
  void sign(v1::Offer& offer, const Credentials& by) const {
    const Offer signed_part{membership(studies_[0], begin_, offer.site()), offer.public_key(), ""};
    const auto signature = sign_bytes(bytes_of(signed_part.bytes()), by.key_pem);
    offer.set_signature(signature.data(), signature.size());
    offer.set_certificate(by.certificate_pem);
  }

  v1::Begin begin_;  // of the present attempt
};

TEST_F(KeyExchangeTest, MakesMasksThatCancel) {
  start();
  for (int turn = 0; turn < 3; ++turn) {
    good_attempt([](const AtSite& at) { at.collective.sum({}, {}); });
  }
}

TEST_F(KeyExchangeTest, RefusesKeyThatSiteDidNotSign) {
  const std::string own = x25519_public(Secret::random());  // the relay has the private half
  expect_refused([&](v1::Offer& o) { o.set_public_key(own); },
                 "expected an offer signed by its certificate, found another signature: it has "
                 "signed something else, or the coordinator has told the sites different things");
  expect_refused([](v1::Offer& o) { o.mutable_public_key()->at(0) ^= 1; }, "another signature");
  expect_refused([](v1::Offer& o) { o.clear_public_key(); }, "a key of 32 bytes, found 0 bytes");
  expect_refused([](v1::Offer& o) { o.clear_signature(); }, "another signature");
  expect_refused([](v1::Offer& o) { o.mutable_signature()->back() ^= 1; }, "another signature");
  expect_refused([](v1::Offer& o) { o.set_signature(std::string(100000, 'x')); },
                 "another signature");
}

TEST_F(KeyExchangeTest, RefusesCertificateOfAnotherSite) {
  const Certificates other_authority({"b"});
  const Credentials expired = certificates_.enrol("b", Certificates::long_ago());
  const Credentials b = certificates_.enrol("b");
  const Credentials a = certificates_.of("a");
  expect_refused([](v1::Offer& o) { o.clear_certificate(); }, "certificate");
  expect_refused([](v1::Offer& o) { o.set_certificate("-----BEGIN CERTIFICATE-----\nAAAA\n"); },
                 "certificate");
  const auto signed_by = [&](const Credentials& by, const std::string& part) {
    SCOPED_TRACE(by.certificate.subject);
    start();
    changes_[2] = [&](v1::CoordinatorMessage& m) {
      if (m.has_begin()) begin_ = m.begin();
      if (m.has_offers()) sign(offer_of(m, "b"), by);
    };
    expect_refused_by(2, "site b", part);
  };
  signed_by(a, "another signature");
  signed_by(other_authority.of("b"), "not signed by this authority");
  signed_by(expired, "validity: expected a certificate that is valid");
  signed_by(certificates_.coordinator(), "purpose: expected a site's certificate");
  // Everything else is valid: with b's own certificate the offer is accepted.
  start();
  changes_[2] = [&](v1::CoordinatorMessage& m) {
    if (m.has_begin()) begin_ = m.begin();
    if (m.has_offers()) sign(offer_of(m, "b"), b);
  };
  good_attempt([](const AtSite& at) { at.collective.sum({}, {}); });
}

// The authority has signed the key, but the study names another.
TEST_F(KeyExchangeTest, RefusesKeyThatStudyDoesNotName) {
  keys_ = {{"b", certificates_.of("b").certificate.key_fingerprint}};
  start();
  good_attempt([](const AtSite& at) { at.collective.sum({}, {}); });
  certificates_.enrol("b");
  start();
  const std::vector<Ending> endings = attempt([](const AtSite& at) { at.collective.sum({}, {}); });
  EXPECT_CONTAINS(endings[0].text + endings[2].text,
                  "site b: certificate of b: expected the key that the study names");
}

TEST_F(KeyExchangeTest, RefusesOfferOfAnotherAttemptOrStudy) {
  start();
  v1::Offer old;
  changes_[2] = [&](v1::CoordinatorMessage& m) {
    if (m.has_offers()) old = offer_of(m, "b");
  };
  good_attempt([](const AtSite& at) { at.collective.sum({}, {}); });
  changes_[2] = [&](v1::CoordinatorMessage& m) {
    if (m.has_offers()) offer_of(m, "b") = old;
  };
  expect_refused_by(2, "site b", "another signature");

  // The site has another study, other geometries, or resumes from another round.
  for (const bool study : {true, false}) {
    start();
    studies_[1] = study ? "another" : studies_[0];
    changes_.assign(kCount, {});
    changes_[1] = [&](v1::CoordinatorMessage& m) {
      if (!study && m.has_begin()) m.mutable_begin()->set_round(7);
    };
    bool summed = false;
    const std::vector<Ending> endings = attempt([&](const AtSite&) { summed = true; });
    EXPECT_FALSE(summed);
    EXPECT_TRUE(std::any_of(endings.begin(), endings.end(), [](const Ending& e) {
      return e.text.find("found another signature") != std::string::npos;
    }));
  }
}

TEST_F(KeyExchangeTest, RefusesMissingAndDuplicateOffers) {
  const struct {
    const char* peer;
    const char* part;
    LocalChannel::Change change;
  } cases[] = {
      {"site b", "expected an offer, found none",
       [](v1::CoordinatorMessage& m) {
         m.mutable_offers()->mutable_offers()->DeleteSubrange(1, 1);
       }},
      {"site b", "expected one offer, found a second",
       [](v1::CoordinatorMessage& m) { *m.mutable_offers()->add_offers() = m.offers().offers(1); }},
      {"site d", "expected a site of the roster, found none of that name",
       [](v1::CoordinatorMessage& m) {
         *m.mutable_offers()->add_offers() = m.offers().offers(1);
         m.mutable_offers()->mutable_offers(3)->set_site("d");
       }},
      {"site c", "expected this site's own offer, found another under its name",
       [](v1::CoordinatorMessage& m) {
         *m.mutable_offers()->mutable_offers(2) = m.offers().offers(1);
         m.mutable_offers()->mutable_offers(2)->set_site("c");
       }},
      {"coordinator", "expected the offers of all sites, found another message",
       [](v1::CoordinatorMessage& m) { m.mutable_sealed_key(); }}};
  for (const auto& c : cases) {
    start();
    changes_[2] = [&](v1::CoordinatorMessage& m) {
      if (m.has_offers()) c.change(m);
    };
    expect_refused_by(2, c.peer, c.part);
  }
}

// ---- the group key, which site a draws

TEST_F(KeyExchangeTest, RefusesWrongGroupKey) {
  start();
  std::string old;
  std::string of_b;
  changes_[1] = [&](v1::CoordinatorMessage& m) {
    if (m.has_sealed_key()) of_b = m.sealed_key().sealed();
  };
  changes_[2] = [&](v1::CoordinatorMessage& m) {
    if (m.has_sealed_key()) old = m.sealed_key().sealed();
  };
  good_attempt([](const AtSite& at) { at.collective.sum({}, {}); });
  ASSERT_FALSE(old.empty() || of_b.empty());
  changes_[1] = {};
  const struct {
    const char* part;
    std::function<void(std::string&)> change;
  } cases[] = {{"one that does not open", [](std::string& sealed) { sealed.back() ^= 1; }},
               {"one that does not open", [](std::string& sealed) { sealed.front() ^= 1; }},
               {"one that does not open", [&](std::string& sealed) { sealed = old; }},
               {"one that does not open", [&](std::string& sealed) { sealed = of_b; }},
               {"123 bytes", [](std::string& sealed) { sealed.pop_back(); }},
               {"0 bytes", [](std::string& sealed) { sealed.clear(); }}};
  for (const auto& c : cases) {
    changes_[2] = [&](v1::CoordinatorMessage& m) {
      if (m.has_sealed_key()) c.change(*m.mutable_sealed_key()->mutable_sealed());
    };
    bool summed = false;
    const std::vector<Ending> endings = attempt([&](const AtSite& at) {
      at.collective.sum({}, {});
      summed = true;
    });
    EXPECT_FALSE(summed);
    EXPECT_EQ(endings[2].kind, Error::Kind::kNetwork);
    EXPECT_CONTAINS(endings[2].text, "site a: expected");
    EXPECT_CONTAINS(endings[2].text, c.part);
  }
}

// ---- keys that the coordinator itself refuses

v1::SiteMessage offer_by(const std::string& site, std::uint32_t attempt) {
  v1::SiteMessage message;
  message.mutable_offer()->set_attempt(attempt);
  message.mutable_offer()->set_site(site);
  return message;
}

v1::SiteMessage keys_to(const std::vector<std::string>& sites, std::uint32_t attempt) {
  v1::SiteMessage message;
  message.mutable_sealed_keys()->set_attempt(attempt);
  for (const std::string& site : sites) message.mutable_sealed_keys()->add_keys()->set_to(site);
  return message;
}

class KeysAtTheCoordinator : public KeyExchangeTest {
 protected:
  void begin() {
    channels_.clear();
    start();
    for (const std::string& site : sites_) {
      channels_.push_back(std::make_unique<LocalChannel>(*coordinator_, site));
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      v1::SiteMessage hello;
      hello.mutable_hello()->set_protocol(kProtocol);
      hello.mutable_hello()->set_site(sites_[i]);
      channels_[i]->send(hello);
    }
  }
  void send_offers() {
    for (std::size_t i = 0; i < kCount; ++i) channels_[i]->send(offer_by(sites_[i], 1));
  }
  void expect_refused(std::size_t i, const v1::SiteMessage& message, const std::string& part) {
    channels_[i]->send(message);
    v1::CoordinatorMessage answer = channels_[i]->receive();
    while (!answer.has_refusal()) answer = channels_[i]->receive();
    EXPECT_CONTAINS(answer.refusal().message(), part);
  }

  std::vector<std::unique_ptr<LocalChannel>> channels_;
};

TEST_F(KeysAtTheCoordinator, MustBeOneForEachSiteFromFirstSite) {
  for (const auto& to : std::vector<std::vector<std::string>>{
           {}, {"b"}, {"b", "b"}, {"b", "c", "c"}, {"a", "b", "c"}, {"b", "z"}}) {
    begin();
    send_offers();
    expect_refused(0, keys_to(to, 1), "expected one key for every other site");
  }
  begin();
  send_offers();
  expect_refused(1, keys_to({"a", "c"}, 1), "expected keys from a after all offers");
  begin();
  expect_refused(0, keys_to({"b", "c"}, 1), "after all offers");
  begin();
  send_offers();
  expect_refused(0, keys_to({"b", "c"}, 2), "expected attempt 1, found 2");
}

// Sending the same bytes again changes nothing, at any time.
TEST_F(KeysAtTheCoordinator, MayBeSentTwice) {
  begin();
  channels_[0]->send(offer_by("a", 1));
  channels_[0]->send(offer_by("a", 1));
  send_offers();
  channels_[1]->send(offer_by("b", 1));
  channels_[0]->send(keys_to({"b", "c"}, 1));
  channels_[0]->send(keys_to({"b", "c"}, 1));
  channels_[2]->send(offer_by("c", 1));
  int offers = 0;
  int keys = 0;
  channels_[0]->disconnect();  // abandons the attempt: the last message to b
  for (v1::CoordinatorMessage m; !m.has_abandon(); m = channels_[1]->receive()) {
    EXPECT_FALSE(m.has_refusal()) << m.refusal().message();
    offers += m.has_offers() ? 1 : 0;
    keys += m.has_sealed_key() ? 1 : 0;
  }
  EXPECT_EQ(offers, 1);
  EXPECT_EQ(keys, 1);
  begin();
  send_offers();
  channels_[0]->send(keys_to({"b", "c"}, 1));
  v1::SiteMessage other = keys_to({"b", "c"}, 1);
  other.mutable_sealed_keys()->mutable_keys(0)->set_sealed("another");
  expect_refused(0, other, "at another stage");
}

TEST_F(KeysAtTheCoordinator, MustBeOfferedOnceUnderOwnName) {
  begin();
  expect_refused(0, offer_by("b", 1), "expected one offer, under the site's own name");
  begin();
  channels_[0]->send(offer_by("a", 1));
  v1::SiteMessage other = offer_by("a", 1);
  other.mutable_offer()->set_public_key("another");
  expect_refused(0, other, "expected one offer");
  begin();
  expect_refused(0, offer_by("a", 0), "expected attempt 1, found 0");
  begin();
  v1::SiteMessage early;
  early.mutable_share()->mutable_position()->set_attempt(1);
  expect_refused(0, early, "at another stage");
}

}  // namespace
}  // namespace firm
