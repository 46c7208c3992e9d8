// The test vectors of docs/protocol.md: firm computes what the file says. protocol_vectors.py,
// which follows the page alone, computes the same.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "federation/audit/commitment.h"
#include "federation/audit/ledger_line.h"
#include "federation/protocol/terms.h"
#include "federation/secure/bytes.h"
#include "federation/secure/masking.h"
#include "federation/sums/fixed_point.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

class ProtocolVectors : public ::testing::Test {
 protected:
  const nlohmann::json& keys() const { return vectors_.at("keys"); }
  Membership member(const std::string& name) const {
    return {name, keys().at("study"), keys().at("roster"), keys().at("run_id")};
  }
  Secret key(const char* kind, const std::string& name) const {
    return secret(unhex(keys().at(kind).at(name).get<std::string>()));
  }
  Masker masker(const std::string& name) const {
    Masker::Setup setup{member(name), {}, secret(unhex(keys().at("group").get<std::string>()))};
    for (const std::string peer : keys().at("roster")) {
      if (peer != name)
        setup.pairs.emplace(peer, key("pair", std::min(name, peer) + std::max(name, peer)));
    }
    return Masker(std::move(setup));
  }

  static std::vector<float> values_of(const nlohmann::json& sum, std::size_t site) {
    const auto& values = sum.at("values");
    if (values.is_object()) return values.at(std::string(1, static_cast<char>('a' + site)));
    std::vector<float> made(700);  // by the rule in the file
    for (std::size_t k = 0; k < made.size(); ++k) {
      made[k] = (static_cast<float>(k * (3 + site) % 1000) - 500) / 64;
    }
    return made;
  }

  const nlohmann::json vectors_ = nlohmann::json::parse(file_content(FIRM_PROTOCOL_VECTORS));
};

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
  for (const std::string name : keys().at("roster")) {
    const std::string public_key = x25519_public(key("private", name));
    EXPECT_EQ(hex(bytes_of(public_key)), keys().at("public").at(name));
    const Offer offer{member(name), public_key, ""};
    EXPECT_EQ(hex(bytes_of(offer.bytes())), keys().at("offer").at(name));
  }
  for (const std::string peer : {"b", "c"}) {
    const GroupKey opened = open_group_key(unhex(keys().at("sealed").at(peer).get<std::string>()),
                                           key("pair", "a" + peer), member(peer));
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
  for (const std::string pair : {"ab", "ac", "bc"}) {
    const Offer& low = offers.at(pair.substr(0, 1));
    const Offer& high = offers.at(pair.substr(1));
    const auto raw = x25519(key("private", low.from.name), high.key);
    ASSERT_TRUE(raw);
    EXPECT_EQ(pair_secret(*raw, low, high), keys().at("pair").at(pair));
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

TEST_F(ProtocolVectors, Sums) {
  for (const auto& sum : vectors_.at("sums")) {
    const int bits = sum.at("fraction_bits");
    const auto& p = sum.at("position");
    const MaskPosition position{p.at("exchange"), (p.at("attempt").get<std::uint64_t>() << 32),
                                p.at("previous"), ""};
    std::vector<std::uint32_t> total_words;
    std::vector<ScalarWord> total_scalars;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      const std::vector<float> values = values_of(sum, i);
      const std::vector<double> numbers = sum.at("scalars").at(name);
      std::vector<std::uint32_t> words(values.size());
      std::vector<ScalarWord> scalars(numbers.size());
      ASSERT_FALSE(encode(values, bits, 3, words));
      ASSERT_FALSE(encode(numbers, 3, scalars));
      total_words.resize(words.size());
      total_scalars.resize(scalars.size());
      add(words, total_words);
      add(scalars, total_scalars);

      const SharePosition share{"3f2a91c07d5e6b84", name, 1, p.at("exchange"), 0};
      EXPECT_EQ(commitment_to({words, scalars, bits}, share, unhex(sha256("salt " + name))),
                sum.at("commitments").at(name));
      Masker site = masker(name);
      const Tags tags = site.tag({words, bits, scalars}, position).of(words, scalars);
      EXPECT_EQ(hex(std::as_bytes(std::span(tags))), sum.at("tags").at(name));
      scalars.insert(scalars.end(), tags.begin(), tags.end());
      site.mask({words, bits, scalars}, position);
      const std::string sent_words = hex(std::as_bytes(std::span(words)));
      EXPECT_EQ(sent_words.size() <= 512 ? sent_words : sha256(unhex(sent_words)),
                sum.at("sent").at(name).at(0));
      EXPECT_EQ(hex(std::as_bytes(std::span(scalars))), sum.at("sent").at(name).at(1));
    }
    const std::string hash = hash_of_sum(total_words, total_scalars);
    EXPECT_EQ(hash, sum.at("sha256"));
    EXPECT_EQ(sha256(p.at("previous").get<std::string>() + hash), sum.at("chain"));
  }
}

TEST_F(ProtocolVectors, LedgerLines) {
  LedgerChain chain;
  for (const std::string line : vectors_.at("ledger")) EXPECT_TRUE(chain.follow(line)) << line;
}

}  // namespace
}  // namespace firm
