// The test vectors of docs/protocol.md: firm computes what the file says. protocol_vectors.py,
// which follows the page alone, computes the same. vectors/site_vectors_test.cc has a whole site.
#include "federation/vectors/protocol_vectors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "federation/audit/commitment.h"
#include "federation/audit/ledger_line.h"
#include "federation/pki/certificates.h"
#include "federation/protocol/terms.h"
#include "federation/sums/fixed_point.h"
#include "firm/error.h"

namespace firm {
namespace {

TEST_F(ProtocolVectors, Transcripts) {
  const std::string bytes = Transcript("label/v1").text("t").number(7).names({"y", "x"}).bytes();
  EXPECT_EQ(hex(bytes_of(bytes)), vectors_.at("transcript"));
}

TEST_F(ProtocolVectors, FixedPoint) {
  for (const auto& v : vectors_.at("words")) {
    const float value = v.at("value");
    std::uint32_t word = 0;
    EXPECT_FALSE(encode(std::span(&value, 1), v.at("fraction_bits"), 1, std::span(&word, 1)));
    EXPECT_EQ(word, v.at("word")) << v;
  }
  for (const auto& v : vectors_.at("scalars")) {
    const double value = v.at("value");
    ScalarWord word{};
    EXPECT_FALSE(encode(std::span(&value, 1), 1, std::span(&word, 1)));
    EXPECT_EQ(hex(std::as_bytes(std::span(word))), v.at("word")) << v;
  }
  for (const auto& v : vectors_.at("scales")) {
    EXPECT_EQ(fraction_bits_with_room(v.at("exponent"), v.at("sites")), v.at("fraction_bits")) << v;
  }
}

TEST_F(ProtocolVectors, Decoding) {
  for (const auto& v : vectors_.at("decoded words")) {
    const std::uint32_t word = v.at("word");
    float value = 0;
    decode(std::span(&word, 1), v.at("fraction_bits"), std::span(&value, 1));
    EXPECT_EQ(value, v.at("value").get<float>()) << v;
  }
  for (const auto& v : vectors_.at("decoded scalars")) {
    const ScalarWord word = scalar_words(v.at("word")).front();
    double value = 0;
    decode(std::span(&word, 1), std::span(&value, 1));
    EXPECT_EQ(value, v.at("value").get<double>()) << v;
  }
}

// study_hash writes all numbers so.
TEST_F(ProtocolVectors, Numbers) {
  for (const auto& v : vectors_.at("numbers")) {
    EXPECT_EQ(fmt::format("{}", v.at("value").get<double>()), v.at("digits"));
  }
}

TEST_F(ProtocolVectors, StudyHash) {
  const auto& study = vectors_.at("study");
  std::vector<v1::Term> terms;
  for (const auto& t : study.at("terms")) {
    terms.emplace_back();
    terms.back().set_field(t.at(0));
    terms.back().set_value(t.at(1));
  }
  v1::Begin begin;
  for (const auto& m : study.at("members")) {
    v1::Member& member = *begin.add_members();
    member.set_site(m.at("site"));
    v1::Geometry& g = *member.mutable_geometry();
    for (const double x : m.at("angles")) g.add_angles(x);
    for (const double x : m.at("shifts")) g.add_shifts(x);
    g.set_beamlets(m.at("beamlets"));
    g.set_spacing(m.at("spacing"));
    g.set_rotation_axis(m.at("rotation_axis"));
    member.mutable_noise()->set_sigma(m.at("sigma"));
    member.mutable_noise()->set_weighted(m.at("weighted"));
  }
  EXPECT_EQ(study_hash(terms, begin), study.at("sha256"));
}

TEST_F(ProtocolVectors, Keys) {
  EXPECT_EQ(chain_before().text(), keys().at("chain"));
  EXPECT_EQ(member("a").run_id, keys().at("run_id"));
  for (const std::string name : keys().at("roster")) {
    const std::string public_key = x25519_public(key("private", name));
    EXPECT_EQ(hex(bytes_of(public_key)), keys().at("public").at(name));
    const Offer offer{member(name), public_key, ""};
    EXPECT_EQ(hex(bytes_of(offer.bytes())), keys().at("offer").at(name));
  }
  for (const std::string peer : {"b", "c"}) {
    const GroupKey opened = open_group_key(unhex(keys().at("sealed").at(peer).get<std::string>()),
                                           pair("a", peer), member(peer));
    EXPECT_EQ(hex(opened.key.bytes()), keys().at("group"));
    EXPECT_EQ(opened.totals, keys().at("chain"));
  }
}

// The secret of two sites, by the formula of the page.
std::string pair_secret(const Secret& raw, const Offer& low, const Offer& high) {
  const Membership& run = low.from;
  const Secret made = derive(raw, Transcript("firm/v1/pair")
                                      .text(run.study)
                                      .names(run.roster)
                                      .text(run.run_id)
                                      .text(low.from.name)
                                      .text(low.key)
                                      .text(high.from.name)
                                      .text(high.key)
                                      .bytes());
  return hex(made.bytes());
}

TEST_F(ProtocolVectors, PairSecrets) {
  std::map<std::string, Offer> offers;
  for (const std::string name : {"a", "b", "c"}) {
    offers[name] = {member(name), x25519_public(key("private", name)), "signature"};
  }
  for (const std::string both : {"ab", "ac", "bc"}) {
    const Offer& low = offers.at(both.substr(0, 1));
    const Offer& high = offers.at(both.substr(1));
    const auto raw = x25519(key("private", low.from.name), high.key);
    ASSERT_TRUE(raw);
    EXPECT_EQ(pair_secret(*raw, low, high), keys().at("pair").at(both));
  }
  // A site that draws its key makes its secrets by the same formula.
  const Agreement drawn(member("b"), [](const std::string&) { return "signature"; });
  offers["b"] = drawn.offer();
  const std::vector<Offer> all = {offers["a"], offers["b"], offers["c"]};
  const PairSecrets secrets =
      drawn.agree(all, [](const auto&, const auto&, const auto&) { return true; });
  const auto with_a = x25519(key("private", "a"), drawn.offer().key);
  const auto with_c = x25519(key("private", "c"), drawn.offer().key);
  EXPECT_EQ(hex(secrets.at("a").bytes()), pair_secret(*with_a, offers["a"], offers["b"]));
  EXPECT_EQ(hex(secrets.at("c").bytes()), pair_secret(*with_c, offers["b"], offers["c"]));
}

TEST_F(ProtocolVectors, Signature) {
  const auto& v = vectors_.at("signature");
  const std::string certificate = v.at("certificate");
  const Instant then{std::chrono::seconds(v.at("checked at").get<std::int64_t>())};
  const CertificateFacts facts =
      verify_peer(certificate, v.at("authority"), CertificatePurpose::kSite, then);
  EXPECT_EQ(facts.name, "b");
  EXPECT_EQ(facts.key_fingerprint, v.at("key"));

  const std::string offer = unhex(keys().at("offer").at("b").get<std::string>());
  const std::string signature = unhex(v.at("signature").get<std::string>());
  EXPECT_TRUE(verify_signature(bytes_of(offer), bytes_of(signature), certificate));
  std::string another = offer;
  another.back() ^= 1;
  EXPECT_FALSE(verify_signature(bytes_of(another), bytes_of(signature), certificate));
  another = signature;
  another.back() ^= 1;
  EXPECT_FALSE(verify_signature(bytes_of(offer), bytes_of(another), certificate));
}

TEST_F(ProtocolVectors, RejectedKeysAndSeals) {
  for (const std::string public_key : vectors_.at("rejected").at("public")) {
    EXPECT_FALSE(x25519(key("private", "a"), unhex(public_key))) << public_key;
  }
  for (const std::string sealed : vectors_.at("rejected").at("sealed for b")) {
    EXPECT_THROW(open_group_key(unhex(sealed), pair("a", "b"), member("b")), Error) << sealed;
  }
}

// ---- sums

class SumVectors : public ProtocolVectors {
 protected:
  struct Share {
    std::vector<std::uint32_t> words;
    std::vector<ScalarWord> scalars;
    ShareView view(int bits) { return {words, bits, scalars}; }
  };

  // The share of a site, without the count of a scale and without tags.
  static Share share_of(const nlohmann::json& sum, const std::string& site) {
    const std::vector<float> values = values_of(sum, site);
    const std::vector<double> numbers = sum.at("scalars").at(site);
    Share share{std::vector<std::uint32_t>(values.size()), std::vector<ScalarWord>(numbers.size())};
    EXPECT_FALSE(encode(values, sum.at("fraction_bits"), 3, share.words));
    EXPECT_FALSE(encode(numbers, 3, share.scalars));
    return share;
  }
  static MaskPosition position_of(const nlohmann::json& sum) {
    const auto& p = sum.at("position");
    const auto attempt = p.at("attempt").get<std::uint64_t>();
    return {p.at("exchange"), (attempt << 32) | p.at("try").get<std::uint64_t>(), p.at("previous"),
            p.at("opener")};
  }
  // The pad that the file lists for a sum for one site. (firm draws its key.)
  Keystream own_pad(const MaskPosition& position, MaskKind kind, std::size_t length,
                    int bits) const {
    const Membership opener = member(position.opener);
    const MaskContext context{opener.study,  opener.roster, MaskScope::kAlone,
                              {opener.name}, position,      kind,
                              length,        bits};
    return {key("own", opener.name), context};
  }
  // The sum that the coordinator sends, without the pad.
  Share opened(const nlohmann::json& sum) const {
    Share total;
    const std::string bytes = unhex(sum.at("received").at(0).get<std::string>());
    total.words.resize(bytes.size() / sizeof(std::uint32_t));
    std::ranges::copy(bytes_of(bytes), std::as_writable_bytes(std::span(total.words)).begin());
    total.scalars = scalar_words(sum.at("received").at(1));
    const int bits = sum.at("fraction_bits");
    const MaskPosition position = position_of(sum);
    if (position.opener.empty()) {
      masker("b").unmask(total.view(bits), position);
    } else {
      own_pad(position, MaskKind::kVector, total.words.size(), bits).subtract_from(total.words);
      own_pad(position, MaskKind::kScalars, total.scalars.size(), bits)
          .subtract_from(total.scalars);
    }
    return total;
  }
};

TEST_F(SumVectors, Shares) {
  for (const auto& sum : vectors_.at("sums")) {
    const int bits = sum.at("fraction_bits");
    const auto& p = sum.at("position");
    const MaskPosition position = position_of(sum);
    for (const std::string name : {"a", "b", "c"}) {
      SCOPED_TRACE(name + ": " + sum.at("about").get<std::string>());
      Share share = share_of(sum, name);
      const SharePosition place{keys().at("run"), name, p.at("attempt"), p.at("exchange"),
                                p.at("try")};
      EXPECT_EQ(
          commitment_to({share.words, share.scalars, bits}, place, unhex(sha256("salt " + name))),
          sum.at("commitments").at(name));
      if (sum.at("count").contains(name)) {
        share.scalars.push_back({sum.at("count").at(name).get<std::uint64_t>()});
      }
      Masker site = masker(name);
      const Tags tags = site.tag(share.view(bits), position).of(share.words, share.scalars);
      EXPECT_EQ(listed_bytes(tags), sum.at("tags").at(name));
      share.scalars.insert(share.scalars.end(), tags.begin(), tags.end());
      site.mask(share.view(bits), position);
      if (position.opener == name) {
        site.unmask(share.view(bits), position);
        own_pad(position, MaskKind::kVector, share.words.size(), bits).add_to(share.words);
        own_pad(position, MaskKind::kScalars, share.scalars.size(), bits).add_to(share.scalars);
      }
      EXPECT_EQ(listed_bytes(share.words), sum.at("sent").at(name).at(0));
      EXPECT_EQ(listed_bytes(share.scalars), sum.at("sent").at(name).at(1));
    }
  }
}

TEST_F(SumVectors, ChecksOfTags) {
  for (const auto& sum : vectors_.at("sums")) {
    SCOPED_TRACE(sum.at("about").get<std::string>());
    Share total = opened(sum);
    Tags tags;
    std::ranges::copy(std::span(total.scalars).last(tags.size()), tags.begin());
    EXPECT_EQ(listed_bytes(std::span(tags).first(1)), sum.at("sums of tags").at("T"));
    EXPECT_EQ(listed_bytes(std::span(tags).last(1)), sum.at("sums of tags").at("U"));
    total.scalars.resize(total.scalars.size() - tags.size());
    const SumTag tag = masker("a").tag(total.view(sum.at("fraction_bits")), position_of(sum));
    const auto matches = [&](const Tags& t) {
      return tag.matches(total.words, total.scalars, t, 3);
    };
    EXPECT_TRUE(matches(tags));

    Tags beyond = tags;  // equal modulo p, but not below 3 p
    for (int k = 0; k < 3; ++k) add(ScalarWord{SumTag::kPrime}, beyond[0]);
    EXPECT_FALSE(matches(beyond));
    for (ScalarWord& changed : tags) {
      add(ScalarWord{1}, changed);
      EXPECT_FALSE(matches(tags));
      add(negated({1}), changed);
    }
    add(ScalarWord{1}, total.scalars.front());
    EXPECT_FALSE(matches(tags));
  }
}

TEST_F(SumVectors, Chains) {
  SumChain totals = chain_before();
  SumChain seen = chain_before();
  for (const auto& sum : vectors_.at("sums")) {
    SCOPED_TRACE(sum.at("about").get<std::string>());
    EXPECT_EQ(sum.at("position").at("previous"), seen.text());
    const std::size_t own = sum.at("scalars").at("a").size();
    const Share total = opened(sum);
    const std::string hash = hash_of_sum(total.words, std::span(total.scalars).first(own));
    EXPECT_EQ(hash, sum.at("opened"));
    if (sum.at("position").at("opener") == "") {
      EXPECT_EQ(hash, sum.at("sha256"));
      totals.add(hash);
    } else {
      const std::string& words = sum.at("received").at(0).get_ref<const std::string&>();
      const std::string& scalars = sum.at("received").at(1).get_ref<const std::string&>();
      const std::size_t digits = 2 * sizeof(ScalarWord) * own;
      EXPECT_EQ(sha256(unhex(words + scalars.substr(0, digits))), sum.at("sha256"));
    }
    seen.add(sum.at("sha256"));
    EXPECT_EQ(totals.text(), sum.at("totals"));
    EXPECT_EQ(seen.text(), sum.at("seen"));
  }
}

TEST_F(ProtocolVectors, LedgerLines) {
  LedgerChain chain;
  for (const std::string line : vectors_.at("ledger")) EXPECT_TRUE(chain.follow(line)) << line;
}

}  // namespace
}  // namespace firm
