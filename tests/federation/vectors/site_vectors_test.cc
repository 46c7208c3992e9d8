// A site of firm takes part in the attempt of protocol_vectors.json: to the coordinator's messages
// of the file it sends those of the file. And it chooses the exponents and scales of the file.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <utility>

#include "federation/protocol/ledger.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/remote_exchange.h"
#include "federation/vectors/protocol_vectors.h"

namespace firm {
namespace {

// Keeps what a site sends; its answers are prepared.
class PreparedCoordinator : public SiteChannel {
 public:
  void answer(const v1::CoordinatorMessage& message) { answers_.push_back(message); }
  std::vector<v1::SiteMessage> take_sent() { return std::exchange(sent_, {}); }

  void send(const v1::SiteMessage& message) override { sent_.push_back(message); }
  v1::CoordinatorMessage receive() override {
    if (answers_.empty()) throw ChannelLost("no answer prepared");
    v1::CoordinatorMessage message = answers_.front();
    answers_.pop_front();
    return message;
  }

 private:
  std::deque<v1::CoordinatorMessage> answers_;
  std::vector<v1::SiteMessage> sent_;
};

class SiteVectors : public ProtocolVectors {
 protected:
  static v1::Position position_of(const nlohmann::json& sum) {
    const auto& p = sum.at("position");
    v1::Position position;
    position.set_attempt(p.at("attempt"));
    position.set_exchange(p.at("exchange"));
    position.set_try_(p.at("try"));
    return position;
  }

  // The answers of the coordinator to the shares or ranges of a sum.
  static void prepare(const nlohmann::json& sum, PreparedCoordinator& coordinator) {
    if (!sum.at("ranges").empty()) {
      v1::CoordinatorMessage scale;
      *scale.mutable_scale()->mutable_position() = position_of(sum);
      scale.mutable_scale()->set_fraction_bits(sum.at("fraction_bits"));
      coordinator.answer(scale);
    }
    const std::string words = unhex(sum.at("received").at(0).get<std::string>());
    v1::CoordinatorMessage message;
    v1::Total& total = *message.mutable_total();
    *total.mutable_position() = position_of(sum);
    total.set_length(words.size() / sizeof(std::uint32_t));
    total.set_words(words);
    total.set_scalars(unhex(sum.at("received").at(1).get<std::string>()));
    total.set_last(true);
    coordinator.answer(message);
  }

  static void expect_sent(const nlohmann::json& sum, const std::string& name,
                          const std::vector<v1::SiteMessage>& sent) {
    const auto& ranges = sum.at("ranges");
    const std::size_t length = values_of(sum, name).size();
    ASSERT_EQ(sent.size(), ranges.empty() ? 1U : 2U);
    EXPECT_EQ(sent.front().has_range(), ranges.contains(name));
    if (ranges.contains(name)) {
      const v1::Range& range = sent.front().range();
      EXPECT_EQ(range.exponent(), ranges.at(name).get<int>());
      EXPECT_EQ(range.length(), length);
      EXPECT_EQ(range.position().exchange(), position_of(sum).exchange());
      EXPECT_EQ(range.position().try_(), 0U);
    }
    const v1::Share& share = sent.back().share();
    EXPECT_EQ(share.position().SerializeAsString(), position_of(sum).SerializeAsString());
    EXPECT_EQ(share.length(), length);
    EXPECT_TRUE(share.last());
    EXPECT_EQ(listed(share.words()), sum.at("sent").at(name).at(0));
    EXPECT_EQ(listed(share.scalars()), sum.at("sent").at(name).at(1));
  }

  static void expect_decoded(const nlohmann::json& sum, const std::vector<float>& values,
                             const std::vector<double>& scalars) {
    const auto& words = sum.at("decoded").at("words");
    if (words.is_string()) {
      EXPECT_EQ(listed_bytes(values), words);
    } else {
      EXPECT_EQ(values, words.get<std::vector<float>>());
    }
    auto numbers = sum.at("decoded").at("scalars").get<std::vector<double>>();
    numbers.resize(scalars.size());
    EXPECT_EQ(scalars, numbers);
  }

  // Up to the first sum that only this site opens: firm draws the key of its pad, and all masks
  // after it depend on that pad.
  void take_part(const std::string& name) const {
    const TemporaryDirectory directory;
    Ledger ledger(directory / "ledger.jsonl");
    PreparedCoordinator coordinator;
    RemoteExchange exchange({&coordinator,
                             &ledger,
                             name,
                             begin().attempt(),
                             3,
                             masker(name),
                             chain_before(),
                             {},
                             begin().run()});
    FixedPointCollective collective(exchange);
    for (const auto& sum : vectors_.at("sums")) {
      const std::string opener = sum.at("position").at("opener");
      if (opener == name) return;
      SCOPED_TRACE(name + ": " + sum.at("about").get<std::string>());
      prepare(sum, coordinator);
      std::vector<float> values = values_of(sum, name);
      std::vector<double> scalars = sum.at("scalars").at(name);
      scalars.resize(scalars.size() - 2);  // the collective adds 1 and the bound
      if (opener.empty()) {
        collective.sum(values, scalars);
        expect_decoded(sum, values, scalars);
      } else {
        collective.sum_for(opener, values);
      }
      expect_sent(sum, name, coordinator.take_sent());
      EXPECT_EQ(exchange.totals().text(), sum.at("totals"));
    }
  }
};

TEST_F(SiteVectors, SendsSharesOfFile) {
  for (const std::string name : {"a", "b", "c"}) ASSERT_NO_THROW(take_part(name)) << name;
}

// Sums with a given bound, in a given scale.
class BoundedSums : public WordExchange {
 public:
  BoundedSums(std::size_t sites, int bits, double bound)
      : sites_(sites), bits_(bits), bound_(bound) {}

  std::size_t sites() const override { return sites_; }
  std::optional<int> sum(const ShareView& share, std::optional<int> exponent,
                         const std::string& /*opener*/) override {
    if (exponent) {
      asked = exponent;
      return bits_;
    }
    fraction_bits = share.fraction_bits;
    decode(share.scalars.last(1), std::span(&own_bound, 1));
    const std::array<double, 2> sums = {static_cast<double>(sites_), bound_};
    EXPECT_FALSE(encode(sums, 1, share.scalars.last(sums.size())));
    return {};
  }
  bool checkpoint_asked() override { return false; }

  std::optional<int> asked;  // the exponent of the last range
  int fraction_bits = 0;     // of the last share
  double own_bound = 0;      // in the last share

 private:
  std::size_t sites_;
  int bits_;
  double bound_;
};

TEST_F(SiteVectors, Exponents) {
  for (const auto& v : vectors_.at("exponents")) {
    std::vector<float> values = v.at("values");
    BoundedSums sums(1, kLeastFractionBits, 1);
    FixedPointCollective collective(sums);
    collective.sum(values, {});
    if (!values.empty()) {
      EXPECT_EQ(sums.asked, v.at("exponent").get<int>()) << v;
    }
    EXPECT_EQ(sums.own_bound, v.at("bound").get<double>()) << v;
  }
}

TEST_F(SiteVectors, NextScales) {
  for (const auto& v : vectors_.at("next scales")) {
    const int bits = v.at("fraction_bits");
    BoundedSums sums(v.at("sites"), bits, v.at("bound"));
    FixedPointCollective collective(sums);
    std::vector<float> values(1);
    collective.sum(values, {});
    EXPECT_EQ(sums.fraction_bits, bits) << v;
    collective.sum(values, {});
    EXPECT_EQ(sums.fraction_bits, v.at("next").get<int>()) << v;
  }
}

}  // namespace
}  // namespace firm
