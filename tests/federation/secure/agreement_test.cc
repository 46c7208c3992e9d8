// Key agreement: published test vectors, and a relay that tampers with offers in every way.
#include "federation/secure/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "federation/secure/bytes.h"
#include "federation/secure/peer_text.h"
#include "firm/error.h"

namespace firm {
namespace {

std::string hex_of(const std::string& bytes) { return hex(bytes_of(bytes)); }

// RFC 7748, 5.2 and 6.1.
TEST(X25519, MatchesPublishedVectors) {
  const struct {
    std::string scalar, u, result;
  } vectors[] = {{"a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                  "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
                  "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"},
                 {"4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                  "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
                  "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"}};
  for (const auto& v : vectors) {
    EXPECT_EQ(hex(x25519(secret(unhex(v.scalar)), unhex(v.u))->bytes()), v.result);
  }
  const Secret alice =
      secret(unhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
  const Secret bob =
      secret(unhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
  EXPECT_EQ(hex_of(x25519_public(alice)),
            "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
  EXPECT_EQ(hex_of(x25519_public(bob)),
            "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  const std::string shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";
  EXPECT_EQ(hex(x25519(alice, x25519_public(bob))->bytes()), shared);
  EXPECT_EQ(hex(x25519(bob, x25519_public(alice))->bytes()), shared);
}

// RFC 7748, 5.2: k, u = X25519(k, u), k.
TEST(X25519, MatchesPublishedIteratedVectors) {
  std::string k(32, '\0');
  k[0] = 9;
  std::string u = k;
  for (int turn = 1; turn <= 1000; ++turn) {
    const Secret next = *x25519(secret(k), u);
    u = k;
    k.assign(reinterpret_cast<const char*>(next.bytes().data()), Secret::kSize);
    if (turn == 1) {
      EXPECT_EQ(hex_of(k), "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
    }
  }
  EXPECT_EQ(hex_of(k), "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
}

// The points of low order, and their other encodings above the prime (RFC 7748, 6.1 and 7).
const std::array<std::string, 7> kLowOrder = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"};

TEST(X25519, RejectsKeysOfLowOrderOrWrongLength) {
  const Secret own = Secret::random();
  for (const std::string& digits : kLowOrder) EXPECT_FALSE(x25519(own, unhex(digits))) << digits;
  const std::string good = x25519_public(Secret::random());
  EXPECT_TRUE(x25519(own, good));
  EXPECT_FALSE(x25519(own, good.substr(1)));
  EXPECT_FALSE(x25519(own, good + "x"));
  EXPECT_FALSE(x25519(own, ""));
}

// Stands in for certificates: whoever knows "key of <name>" can sign as <name>.
std::string signature(const std::string& name, const std::string& bytes) {
  return sha256("key of " + name + ":" + bytes);
}

bool verify(const std::string& site, const std::string& bytes, const std::string& text) {
  return text == signature(site, bytes);
}

Membership member(const std::string& name) {
  return {name, "hash of the study", {"argonne", "berkeley", "chicago"}, "run 1"};
}

Agreement agreement(const Membership& self) {
  return {self, [&](const std::string& bytes) { return signature(self.name, bytes); }};
}

// Three honest sites; site `a` receives the offers of b and c as changed by the relay.
struct Three {
  Agreement a = agreement(member("argonne"));
  Agreement b = agreement(member("berkeley"));
  Agreement c = agreement(member("chicago"));
  Offer from_b = b.offer();
  Offer from_c = c.offer();

  // Returns the error of a, or "agreed".
  std::string outcome() const {
    try {
      (void)a.agree(std::vector{from_b, from_c}, verify);
      return "agreed";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kNetwork);
      return error.what();
    }
  }
};

#define EXPECT_REFUSED(three, site, reason)                                          \
  EXPECT_NE((three).outcome().find(reason), std::string::npos) << (three).outcome(); \
  EXPECT_NE((three).outcome().find(site), std::string::npos) << (three).outcome()

void sign_again(Offer& offer) { offer.signature = signature(offer.from.name, offer.bytes()); }

TEST(Agreement, GivesEachPairItsOwnSharedSecret) {
  const Three t;
  const std::vector<Offer> offers = {t.c.offer(), t.a.offer(), t.b.offer()};
  const PairSecrets a = t.a.agree(offers, verify);
  const PairSecrets b = t.b.agree(offers, verify);
  const PairSecrets c = t.c.agree(offers, verify);
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(hex(a.at("berkeley").bytes()), hex(b.at("argonne").bytes()));
  EXPECT_EQ(hex(a.at("chicago").bytes()), hex(c.at("argonne").bytes()));
  EXPECT_EQ(hex(b.at("chicago").bytes()), hex(c.at("berkeley").bytes()));
  EXPECT_NE(hex(a.at("berkeley").bytes()), hex(a.at("chicago").bytes()));
  EXPECT_NE(hex(a.at("berkeley").bytes()), hex(b.at("chicago").bytes()));
}

TEST(Agreement, DrawsNewKeyEachTime) {
  EXPECT_NE(agreement(member("argonne")).offer().key, agreement(member("argonne")).offer().key);
}

TEST(Agreement, IgnoresOrderOfRoster) {
  Membership shuffled = member("berkeley");
  std::ranges::reverse(shuffled.roster);
  const Agreement b = agreement(shuffled);
  Three t;
  t.from_b = b.offer();
  EXPECT_EQ(t.outcome(), "agreed");
}

TEST(Offer, SignatureCoversEveryField) {
  const Offer offer = agreement(member("argonne")).offer();
  const auto expect_other_bytes = [&](auto change) {
    Offer other = offer;
    change(other);
    EXPECT_NE(other.bytes(), offer.bytes());
  };
  expect_other_bytes([](Offer& o) { o.from.name = "berkeley"; });
  expect_other_bytes([](Offer& o) { o.from.study += "x"; });
  expect_other_bytes([](Offer& o) { o.from.roster.pop_back(); });
  expect_other_bytes([](Offer& o) { o.from.run_id += "x"; });
  expect_other_bytes([](Offer& o) { o.key[31] = static_cast<char>(o.key[31] ^ 1); });
}

TEST(Agreement, RefusesBadSignature) {
  for (const std::size_t k : {std::size_t{0}, std::size_t{63}}) {
    Three t;
    t.from_b.signature[k] = static_cast<char>(t.from_b.signature[k] ^ 1);
    EXPECT_REFUSED(t, "berkeley", "signed");
  }
  Three t;
  t.from_b.signature.clear();
  EXPECT_REFUSED(t, "berkeley", "signed");
  t.from_b.signature = signature("chicago", t.from_b.bytes());  // by another site
  EXPECT_REFUSED(t, "berkeley", "signed");
}

TEST(Agreement, RefusesKeyInsertedByRelay) {
  Three t;
  t.from_b.key = x25519_public(Secret::random());
  EXPECT_REFUSED(t, "berkeley", "signed");
}

TEST(Agreement, RefusesSwappedKeys) {
  Three t;
  std::swap(t.from_b.key, t.from_c.key);
  EXPECT_REFUSED(t, "berkeley", "signed");
  std::swap(t.from_b.signature, t.from_c.signature);  // each key with its signature
  EXPECT_REFUSED(t, "berkeley", "signed");
}

TEST(Agreement, RefusesDifferentStudyRosterOrRun) {
  Three t;
  t.from_b.from.study = "another";
  EXPECT_REFUSED(t, "berkeley", "signed");
  sign_again(t.from_b);
  EXPECT_REFUSED(t, "berkeley", "study");
  t = Three();
  t.from_c.from.run_id = "run 0";
  sign_again(t.from_c);
  EXPECT_REFUSED(t, "chicago", "run 1, found run 0");
  t = Three();
  t.from_c.from.roster.push_back("desy");
  sign_again(t.from_c);
  EXPECT_REFUSED(t, "chicago", "roster");
  t.from_c.from.roster = {"argonne", "argonne", "berkeley", "chicago"};
  EXPECT_REFUSED(t, "chicago", "roster");
}

TEST(Agreement, RefusesOwnKeySentBack) {
  Three t;
  t.from_b.key = t.a.offer().key;
  EXPECT_REFUSED(t, "berkeley", "signed");
  sign_again(t.from_b);
  EXPECT_REFUSED(t, "berkeley", "sent back");
}

TEST(Agreement, RefusesSameKeyFromTwoSites) {
  Three t;
  t.from_c.key = t.from_b.key;
  sign_again(t.from_c);
  EXPECT_REFUSED(t, "chicago", "another site");
}

TEST(Agreement, RefusesKeysOfLowOrderOrWrongLength) {
  for (const std::string& digits : kLowOrder) {
    Three t;
    t.from_b.key = unhex(digits);
    sign_again(t.from_b);
    EXPECT_REFUSED(t, "berkeley", "low order");
  }
  for (const std::size_t size : {0U, 31U, 33U, 64U}) {
    Three t;
    t.from_b.key.resize(size, 'x');
    sign_again(t.from_b);
    EXPECT_REFUSED(t, "berkeley", "32 bytes");
  }
}

TEST(Agreement, RefusesMissingDuplicateAndUnknownSites) {
  Three t;
  t.from_c = t.from_b;
  EXPECT_REFUSED(t, "berkeley", "a second");
  t.from_c = agreement({"desy", "hash of the study", {"desy"}, "run 1"}).offer();
  EXPECT_REFUSED(t, "desy", "roster");
  EXPECT_THROW((void)t.a.agree(std::vector{t.from_b}, verify), Error);
  t = Three();
  Offer own = t.a.offer();
  own.key = x25519_public(Secret::random());
  EXPECT_THROW((void)t.a.agree(std::vector{t.from_b, t.from_c, own}, verify), Error);
}

GroupKey drawn() { return {Secret::random(), SumChain().text()}; }

TEST(GroupKey, OpensForItsRecipient) {
  const GroupKey group{Secret::random(), std::string(64, '7')};
  const Secret pair = Secret::random();
  const std::string sealed = seal_group_key(group, pair, member("argonne"), "berkeley");
  EXPECT_EQ(sealed.size(), 124u);
  const GroupKey opened = open_group_key(sealed, pair, member("berkeley"));
  EXPECT_EQ(hex(opened.key.bytes()), hex(group.key.bytes()));
  EXPECT_EQ(opened.totals, group.totals);
  // The nonce differs each time.
  EXPECT_NE(sealed, seal_group_key(group, pair, member("argonne"), "berkeley"));
}

TEST(GroupKey, DoesNotOpenForOtherSiteOrRun) {
  const Secret pair = Secret::random();
  const std::string sealed = seal_group_key(drawn(), pair, member("argonne"), "berkeley");
  EXPECT_THROW(open_group_key(sealed, Secret::random(), member("berkeley")), Error);
  EXPECT_THROW(open_group_key(sealed, pair, member("chicago")), Error);
  Membership other = member("berkeley");
  other.run_id = "run 2";
  EXPECT_THROW(open_group_key(sealed, pair, other), Error);
  other = member("berkeley");
  other.study = "another";
  EXPECT_THROW(open_group_key(sealed, pair, other), Error);
  other = member("berkeley");
  other.roster.push_back("desy");
  EXPECT_THROW(open_group_key(sealed, pair, other), Error);
}

TEST(GroupKey, DoesNotOpenAfterAnyChange) {
  const Secret pair = Secret::random();
  const std::string sealed = seal_group_key(drawn(), pair, member("argonne"), "berkeley");
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    std::string changed = sealed;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    EXPECT_THROW(open_group_key(changed, pair, member("berkeley")), Error) << bit;
  }
  EXPECT_THROW(open_group_key(sealed.substr(1), pair, member("berkeley")), Error);
  EXPECT_THROW(open_group_key(sealed + '\0', pair, member("berkeley")), Error);
  EXPECT_THROW(open_group_key("", pair, member("berkeley")), Error);
}

TEST(GroupKey, OnlyFirstSiteSeals) {
  const Secret pair = Secret::random();
  EXPECT_THROW(seal_group_key(drawn(), pair, member("berkeley"), "argonne"), std::logic_error);
  EXPECT_THROW(seal_group_key(drawn(), pair, member("argonne"), "argonne"), std::logic_error);
  EXPECT_THROW(seal_group_key(drawn(), pair, member("argonne"), "desy"), std::logic_error);
}

}  // namespace
}  // namespace firm
