// Sums with masks: the same as without, and noise to the coordinator, which is caught when it does
// not tell all sites the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/noise_statistics.h"
#include "federation/secure_federation.h"
#include "sim/noise.h"

namespace firm {
namespace {

using SecureSums = SecureFederation;

// The words of all shares that a site has sent, or of all sums that it has got.
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

// --- the same sums

// Sums whose values grow and shrink, of several lengths, some for one site alone: all bytes that a
// site has seen in the end.
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

TEST_F(SecureSums, AreBitForBitThoseWithoutMasks) {
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

// As the levels of a study with many slices are; more than an exchange carries go with others.
TEST_F(SecureSums, CarryAnyNumberOfScalars) {
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

// --- noise

constexpr std::size_t kWords = 1000;
constexpr int kSums = 200;

// Nothing but zeros, so that what is sent is the mask.
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

// The statistics above tell shares that are not masked.
TEST_F(SecureSums, AreNotNoiseWithoutMasks) {
  start(false);
  good_attempt([&](const AtSite& at) { sum_zeros(at.collective); });
  for (const TappedChannel::Tape& tape : tapes_) {
    EXPECT_GT(distance_from_noise(words_of(tape.sent)), 100 * kNoise);
    EXPECT_GT(distance_from_noise(scalars_of(tape.sent)), 100 * kNoise);
    EXPECT_GT(distance_from_noise(words_of(tape.received)), 100 * kNoise);
  }
}

TEST(NoiseStatistics, TellNoiseThatRepeats) {
  std::string once(4 * kWords, '\0');
  Random random(3, 0);
  for (char& c : once) c = static_cast<char>(256 * random.uniform());
  std::vector<std::string> messages;
  for (int k = 0; k < kSums; ++k) messages.push_back(once);
  EXPECT_GT(distance_from_noise(messages), 10 * kNoise);
}

// Not a block of any mask is used twice: not at another site, in another sum or in another attempt.
TEST_F(SecureSums, NeverHaveTheSameMaskTwice) {
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

// --- a coordinator that does not tell all sites the same

constexpr std::uint64_t kWrongSum = 3;

struct Equivocation {
  const char* what;
  LocalChannel::Change change;
};

const Equivocation kEquivocations[] = {
    {"words",
     [](v1::CoordinatorMessage& m) {
       if (!m.has_total() || m.total().position().exchange() != kWrongSum) return;
       m.mutable_total()->mutable_words()->at(5) ^= 1;
     }},
    {"scalars",
     [](v1::CoordinatorMessage& m) {
       if (!m.has_total() || m.total().position().exchange() != kWrongSum) return;
       m.mutable_total()->mutable_scalars()->at(0) ^= 1;
     }},
    {"scale", [](v1::CoordinatorMessage& m) {
       if (!m.has_scale() || m.scale().position().exchange() != kWrongSum + 1) return;
       m.mutable_scale()->set_fraction_bits(m.scale().fraction_bits() + 1);
     }}};

// As many sums as succeed, then that of a length whose scale has still to be agreed.
void sum_until_caught(FixedPointCollective& collective, std::size_t& sums, const char* opener) {
  for (; sums <= kWrongSum; ++sums) {
    std::vector<float> values(10, 1.0f);
    double scalar = 1;
    collective.sum(values, std::span(&scalar, 1));
  }
  std::vector<float> values(11, 1.0f);
  if (*opener == '\0') {
    collective.sum(values, {});
  } else {
    collective.sum_for(opener, values);
  }
  ++sums;
}

TEST_F(SecureSums, OfSitesThatWereToldOtherThingsFailAtEverySite) {
  for (const Equivocation& equivocation : kEquivocations) {
    SCOPED_TRACE(equivocation.what);
    start();
    for (std::size_t liar = 0; liar < kCount; ++liar) {
      changes_.assign(kCount, {});
      changes_[liar] = equivocation.change;
      std::vector<std::size_t> sums(kCount);
      const auto endings =
          attempt([&](const AtSite& at) { sum_until_caught(at.collective, sums[at.number], ""); });
      for (std::size_t i = 0; i < kCount; ++i) {
        EXPECT_EQ(sums[i], kWrongSum + 1);
        EXPECT_EQ(endings[i].kind, Error::Kind::kNetwork);
        EXPECT_CONTAINS(endings[i].text, "have all received the same sums");
      }
    }
  }
}

// The others cannot know.
TEST_F(SecureSums, ForOneSiteFailThereWhenOthersWereToldOtherThings) {
  for (const Equivocation& equivocation : kEquivocations) {
    SCOPED_TRACE(equivocation.what);
    start();
    changes_.assign(kCount, {});
    changes_[0] = equivocation.change;
    std::vector<std::size_t> sums(kCount);
    const auto endings =
        attempt([&](const AtSite& at) { sum_until_caught(at.collective, sums[at.number], "c"); });
    EXPECT_EQ(sums[2], kWrongSum + 1);
    EXPECT_EQ(endings[2].kind, Error::Kind::kNetwork);
    EXPECT_CONTAINS(endings[2].text, "have all received the same sums");
  }
}

// Nothing is summed after the last sum but a sum of nothing.
TEST_F(SecureSums, AreConfirmedAlsoWhenTheyAreTheLast) {
  for (const std::string opener : {"", "b"}) {
    SCOPED_TRACE(opener);
    const std::uint64_t last = 2;
    const auto work = [&](const AtSite& at) {
      std::vector<float> values(10, 1.0f);
      for (std::uint64_t k = 0; k < last; ++k) at.collective.sum(values, {});
      if (opener.empty()) {
        at.collective.sum(values, {});
      } else {
        at.collective.sum_for(opener, values);
      }
      at.collective.confirm();
    };
    start();
    changes_.assign(kCount, {});
    good_attempt(work);
    changes_[1] = [](v1::CoordinatorMessage& m) {
      if (!m.has_total() || m.total().position().exchange() != last) return;
      m.mutable_total()->mutable_words()->at(5) ^= 1;
    };
    for (const Ending& ending : attempt(work)) {
      EXPECT_EQ(ending.kind, Error::Kind::kNetwork);
      EXPECT_CONTAINS(ending.text, "have all received the same sums");
    }
  }
}

// What was different in the last sum before a checkpoint is in the checkpoint.
TEST_F(SecureSums, AreComparedBeforeAnotherAttemptGoesOnFromThem) {
  const auto sum_and_keep = [&](const AtSite& at) {
    for (std::uint64_t k = 0; k <= kWrongSum; ++k) {
      std::vector<float> values(10, 1.0f);
      double scalar = 1;
      at.collective.sum(values, std::span(&scalar, 1));
    }
    totals_[at.number] = at.exchange.totals();
  };
  for (const Equivocation& equivocation : {kEquivocations[0], kEquivocations[1]}) {
    SCOPED_TRACE(equivocation.what);
    for (std::size_t liar = 0; liar < kCount; ++liar) {
      start();
      changes_.assign(kCount, {});
      totals_.assign(kCount, {});
      for (int turn = 0; turn < 2; ++turn) good_attempt(sum_and_keep);
      changes_[liar] = equivocation.change;
      good_attempt(sum_and_keep);
      changes_[liar] = {};
      std::vector<int> summed(kCount);
      const auto endings = attempt([&](const AtSite& at) {
        at.collective.confirm();
        summed[at.number] = 1;
      });
      EXPECT_EQ(summed, std::vector<int>(kCount));
      // All compare theirs with those of a; the first to find them different ends the attempt.
      const bool said = std::any_of(endings.begin(), endings.end(), [](const Ending& e) {
        return e.kind == Error::Kind::kNetwork &&
               e.text.find("site a: expected a site that has received the same sums so far") !=
                   std::string::npos;
      });
      EXPECT_TRUE(said) << endings[1].text;
    }
  }
}

// The same sums in another attempt, under other masks, are the same to a checkpoint.
TEST_F(SecureSums, AreTheSameToACheckpointUnderAnyMasks) {
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

// --- a site that does not do what it should

TEST_F(SecureSums, RefuseAShareOfBefore) {
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

TEST_F(SecureSums, AreNotSentWhatTheyCannotCarry) {
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
