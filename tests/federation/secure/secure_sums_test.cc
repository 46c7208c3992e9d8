// Sums with masks: equal to those without, and noise to the coordinator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "federation/secure/noise_statistics.h"
#include "federation/secure/secure_federation.h"
#include "sim/noise.h"

namespace firm {
namespace {

using SecureSums = SecureFederation;

// Collects the words of all shares that a site has sent, or of all sums that it has received.
std::vector<std::string> words_of(const std::vector<v1::SiteMessage>& messages) {
  std::vector<std::string> words;
  for (const v1::SiteMessage& m : messages) {
    if (m.has_share()) words.push_back(m.share().words());
  }
  return words;
}

std::vector<std::string> words_of(const std::vector<v1::CoordinatorMessage>& messages) {
  std::vector<std::string> words;
  for (const v1::CoordinatorMessage& m : messages) {
    if (m.has_total()) words.push_back(m.total().words());
  }
  return words;
}

std::vector<std::string> scalars_of(const std::vector<v1::SiteMessage>& messages) {
  std::vector<std::string> scalars;
  for (const v1::SiteMessage& m : messages) {
    if (m.has_share()) scalars.push_back(m.share().scalars());
  }
  return scalars;
}

double distance_from_noise(const std::vector<std::string>& messages) {
  std::string all;
  for (const std::string& m : messages) all += m;
  return firm::distance_from_noise(all, messages.at(0).size());
}

// ---- equal sums

// Makes sums of several lengths, with values that grow and shrink, some for one site only. Returns
// all bytes that a site has read.
std::vector<std::string> results_of_many_sums(std::size_t site, FixedPointCollective& collective) {
  std::vector<std::string> results;
  Random random(7, static_cast<std::uint64_t>(site));
  for (int k = 0; k < 60; ++k) {
    const double size = std::pow(10.0, 12 * std::sin(0.3 * k) * (k % 3 == 0 ? 1 : 0.2));
    std::vector<float> values(k % 5 == 0 ? 0 : 40 + 30 * (k % 2));
    for (float& x : values) x = static_cast<float>(size * random.normal());
    double scalars[] = {size * random.normal(), 1e-20 * random.normal()};
    if (k % 7 == 6) {
      collective.sum_for("c", values);
      if (site != 2) continue;  // noise
    } else {
      collective.sum(values, scalars);
    }
    std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    bytes.append(reinterpret_cast<const char*>(scalars), sizeof(scalars));
    results.push_back(bytes);
  }
  return results;
}

TEST_F(SecureSums, EqualSumsWithoutMasksBitForBit) {
  std::vector<std::vector<std::string>> results[2];
  std::size_t scales[2];
  for (const bool secure : {false, true}) {
    start(secure);
    results[secure].resize(kCount);
    good_attempt([&](const AtSite& at) {
      results[secure][at.number] = results_of_many_sums(at.number, at.collective);
    });
    scales[secure] = static_cast<std::size_t>(
        std::count_if(tapes_[0].received.begin(), tapes_[0].received.end(),
                      [](const v1::CoordinatorMessage& m) { return m.has_scale(); }));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0][2].size(), 60u);
  EXPECT_EQ(scales[0], scales[1]);
  EXPECT_GE(scales[1], 4u) << "scales were to change on the way";
}

// A study with many slices has more scalars than one exchange holds; the rest goes into further
// ones.
TEST_F(SecureSums, HoldAnyNumberOfScalars) {
  start();
  good_attempt([&](const AtSite& at) {
    for (const std::size_t count :
         {std::size_t{70}, kMostScalars - 2, kMostScalars, 2 * kMostScalars}) {
      std::vector<float> values(5, 1.0f);
      std::vector<double> scalars(count);
      for (std::size_t k = 0; k < count; ++k) {
        scalars[k] = 1e-9 * static_cast<double>(k) * static_cast<double>(at.number);
      }
      at.collective.sum(values, scalars);
      EXPECT_EQ(values, std::vector<float>(5, 3.0f));
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_DOUBLE_EQ(scalars[k], 3e-9 * static_cast<double>(k)) << count;
      }
    }
  });
}

// ---- noise

constexpr std::size_t kWords = 1000;
constexpr int kSums = 200;

// All shares are zeros, so that the bytes sent are the masks.
void sum_zeros(FixedPointCollective& collective) {
  for (int k = 0; k < kSums; ++k) {
    std::vector<float> zeros(kWords);
    double scalar = 0;
    collective.sum(zeros, std::span(&scalar, 1));
    EXPECT_EQ(zeros, std::vector<float>(kWords));
    EXPECT_EQ(scalar, 0);
  }
}

TEST_F(SecureSums, AreNoiseToTheCoordinator) {
  start();
  good_attempt([&](const AtSite& at) { sum_zeros(at.collective); });
  for (const TappedChannel::Tape& tape : tapes_) {
    ASSERT_EQ(words_of(tape.sent).size(), static_cast<std::size_t>(kSums));
    EXPECT_LT(distance_from_noise(words_of(tape.sent)), kNoise);
    EXPECT_LT(distance_from_noise(scalars_of(tape.sent)), kNoise);
    EXPECT_LT(distance_from_noise(words_of(tape.received)), kNoise) << "sums are padded, too";
  }
}

// The statistics above detect shares that are not masked.
TEST_F(SecureSums, AreNotNoiseWithoutMasks) {
  start(false);
  good_attempt([&](const AtSite& at) { sum_zeros(at.collective); });
  for (const TappedChannel::Tape& tape : tapes_) {
    EXPECT_GT(distance_from_noise(words_of(tape.sent)), 100 * kNoise);
    EXPECT_GT(distance_from_noise(scalars_of(tape.sent)), 100 * kNoise);
    EXPECT_GT(distance_from_noise(words_of(tape.received)), 100 * kNoise);
  }
}

TEST(NoiseStatistics, DetectRepeatedNoise) {
  std::string once(4 * kWords, '\0');
  Random random(3, 0);
  for (char& c : once) c = static_cast<char>(256 * random.uniform());
  std::vector<std::string> messages;
  for (int k = 0; k < kSums; ++k) messages.push_back(once);
  EXPECT_GT(distance_from_noise(messages), 10 * kNoise);
}

// No block of a mask is used twice, neither at another site nor in another sum or attempt.
TEST_F(SecureSums, NeverUseMaskTwice) {
  start();
  std::vector<std::string> pieces;
  for (int turn = 0; turn < 2; ++turn) {
    good_attempt([&](const AtSite& at) { sum_zeros(at.collective); });
    for (const TappedChannel::Tape& tape : tapes_) {
      std::string all;
      for (const std::string& words : words_of(tape.sent)) all += words;
      for (const std::string& scalars : scalars_of(tape.sent)) all += scalars;
      for (std::size_t at = 0; at + 16 <= all.size(); at += 16) {
        pieces.push_back(all.substr(at, 16));
      }
    }
  }
  EXPECT_GT(pieces.size(), 2 * kCount * kSums * kWords / 4);
  std::sort(pieces.begin(), pieces.end());
  EXPECT_EQ(std::adjacent_find(pieces.begin(), pieces.end()), pieces.end());
}

TEST_F(SecureSums, ForOneSiteAreNoiseToTheOthers) {
  start();
  std::vector<std::vector<std::string>> results(kCount);
  good_attempt([&](const AtSite& at) {
    for (int k = 0; k < kSums; ++k) {
      std::vector<std::uint32_t> words(kWords, 1);
      std::vector<ScalarWord> scalars(1);
      at.exchange.sum({words, 20, scalars}, {}, "c");
      results[at.number].emplace_back(reinterpret_cast<const char*>(words.data()),
                                      words.size() * sizeof(words[0]));
    }
  });
  const std::vector<std::uint32_t> sum(kWords, kCount);
  for (const std::string& bytes : results[2]) {
    EXPECT_EQ(std::memcmp(bytes.data(), sum.data(), bytes.size()), 0);
  }
  for (const std::size_t i : {0u, 1u}) EXPECT_LT(distance_from_noise(results[i]), kNoise);
  for (const TappedChannel::Tape& tape : tapes_) {
    EXPECT_LT(distance_from_noise(words_of(tape.received)), kNoise);
  }
}

// The same sums in another attempt, under other masks, give the same checkpoint.
TEST_F(SecureSums, GiveSameCheckpointUnderAnyMasks) {
  std::vector<std::string> texts;
  for (const bool secure : {false, true, true}) {
    start(secure);
    good_attempt([&](const AtSite& at) {
      results_of_many_sums(at.number, at.collective);
      totals_[at.number] = at.exchange.totals();
    });
    for (SumChain& totals : totals_) {
      texts.push_back(totals.text());
      totals = {};
    }
  }
  EXPECT_NE(texts.front(), SumChain().text());
  for (const std::string& text : texts) EXPECT_EQ(text, texts.front());
}

// ---- a misbehaving site

TEST_F(SecureSums, RefuseReplayedShare) {
  start();
  const auto sum_once = [](FixedPointCollective& collective) {
    std::vector<float> values(10, 1.0f);
    collective.sum(values, {});
  };
  auto endings = attempt([&](const AtSite& at) {
    for (int k = 0; k < 2; ++k) sum_once(at.collective);
    if (at.number == 1) at.channel.send(tapes_[1].sent.back());
    sum_once(at.collective);
  });
  EXPECT_CONTAINS(endings[1].text, "expected exchange 2, try 0, found exchange 1, try 0");
  EXPECT_TRUE(endings[0].abandoned && endings[2].abandoned);

  const v1::SiteMessage old = tapes_[1].sent.back();
  ASSERT_TRUE(old.has_share());
  endings = attempt([&](const AtSite& at) {
    if (at.number == 1) at.channel.send(old);
    sum_once(at.collective);
  });
  EXPECT_CONTAINS(endings[1].text, "expected attempt 2, found 1");
  EXPECT_TRUE(endings[0].abandoned && endings[2].abandoned);
}

TEST_F(SecureSums, RefuseValuesThatDoNotFit) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  struct Case {
    float value;
    double scalar;
    const char* part;
  };
  start();
  for (const Case& c : {Case{kNan, 0, "value 7: expected a finite number, found nan"},
                        Case{-kInfinite, 0, "value 7: expected a finite number, found -inf"},
                        Case{0, kNan, "scalar 0: expected a finite number, found nan"},
                        Case{0, 1e29, "scalar 0: expected a smaller number, found 1e+29"}}) {
    const auto endings = attempt([&](const AtSite& at) {
      for (int k = 0; k < 3; ++k) {
        std::vector<float> values(10, 1.0f);
        double scalar = 1;
        if (k == 2 && at.number == 1) {
          values[7] = c.value;
          scalar = c.scalar;
          tapes_[1].sent.clear();
        }
        at.collective.sum(values, std::span(&scalar, 1));
      }
    });
    EXPECT_EQ(endings[1].kind, Error::Kind::kData);
    EXPECT_CONTAINS(endings[1].text, c.part);
    EXPECT_EQ(tapes_[1].sent.size(), 0u);
    EXPECT_TRUE(endings[0].abandoned && endings[2].abandoned);
  }
}

}  // namespace
}  // namespace firm
