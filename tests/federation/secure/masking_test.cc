// Masking: masks cancel in the sum, and masked shares look like noise.
#include "federation/secure/masking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "federation/secure/bytes.h"
#include "firm/error.h"

namespace firm {
namespace {

using Words = std::vector<std::uint32_t>;
using Scalars = std::vector<ScalarWord>;

// The maskers of all sites of a run.
std::vector<std::string> names_of(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back("site-" + std::to_string(k));
  return names;
}

constexpr bool kWithoutGroup = false;

Masker masker_of(const std::string& name, const std::vector<std::string>& roster,
                 bool with_group = true) {
  Masker::Setup setup{.self = {name, sha256("study"), roster, "run"},
                      .pairs = {},
                      .group = std::nullopt,
                      .allow_two = true};
  for (const std::string& peer : roster) {
    if (peer == name) continue;
    setup.pairs.emplace(peer, secret_of(std::min(name, peer) + " and " + std::max(name, peer)));
  }
  if (with_group) setup.group = secret_of("group");
  return Masker(std::move(setup));
}

struct Message {
  Words words;
  Scalars scalars;

  ShareView view() { return {.words = words, .fraction_bits = 20, .scalars = scalars}; }
  Message& operator+=(const Message& other) {
    add(other.words, words);
    add(other.scalars, scalars);
    return *this;
  }
  bool operator==(const Message&) const = default;
};

Message zeros(std::size_t words, std::size_t scalars = 3) {
  return {Words(words), Scalars(scalars)};
}

Message some_share(std::size_t words, std::size_t sites, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(words);
  for (float& x : values) x = normal(random);
  const double scalars[] = {1e-30 * normal(random), 1e20 * normal(random), 1};
  Message message = zeros(words);
  EXPECT_FALSE(encode(values, 20, sites, message.words));
  EXPECT_FALSE(encode(scalars, sites, message.scalars));
  return message;
}

Message masked(Masker& masker, Message message, const MaskPosition& position = {}) {
  masker.mask(message.view(), position);
  return message;
}

Message unmasked(const Masker& masker, Message sum, const MaskPosition& position = {}) {
  masker.unmask(sum.view(), position);
  return sum;
}

// Pearson's chi-square statistic of the bytes of words and scalars, with 256 equal bins, in
// standard deviations from its mean. Uniform bytes give -7 .. 7, except once in 10^9.
double chi_square(const Message& message) {
  std::vector<double> counts(256);
  double total = 0;
  for (const auto bytes :
       {std::as_bytes(std::span(message.words)), std::as_bytes(std::span(message.scalars))}) {
    for (const std::byte b : bytes) counts[std::to_integer<std::size_t>(b)] += 1;
    total += static_cast<double>(bytes.size());
  }
  double sum = 0;
  for (const double n : counts) sum += (n - total / 256) * (n - total / 256) / (total / 256);
  return (sum - 255) / std::sqrt(2 * 255.0);
}

#define EXPECT_NOISE(message) EXPECT_LT(std::abs(chi_square(message)), 7)

constexpr std::size_t kMany = 1 << 18;

TEST(ChiSquare, DistinguishesSharesFromNoise) {
  EXPECT_GT(chi_square(zeros(kMany)), 1000);
  EXPECT_GT(chi_square(some_share(kMany, 3, 1)), 1000);
  Message words = zeros(kMany, 1 << 15);
  Keystream(secret_of("noise"), {}).fill(words.words);
  EXPECT_GT(chi_square(words), 1000) << "scalars that are not masked show";
}

// The longest vector spans two blocks.
TEST(Masker, KeepsSums) {
  for (std::size_t sites = 2; sites <= 30; ++sites) {
    const std::size_t length = sites % 7 == 0 ? 9001 : 101;
    const std::vector<std::string> roster = names_of(sites);
    for (const bool with_group : {true, kWithoutGroup}) {
      Message plain = zeros(length);
      Message sum = zeros(length);
      for (std::size_t k = 0; k < sites; ++k) {
        const Message share = some_share(length, sites, static_cast<unsigned>(k));
        Masker masker = masker_of(roster[k], roster, with_group);
        plain += share;
        sum += masked(masker, share);
      }
      ASSERT_EQ(sum == plain, !with_group) << sites;
      for (const std::string& name : {roster.front(), roster.back()}) {
        ASSERT_EQ(unmasked(masker_of(name, roster, with_group), sum), plain) << sites;
      }
    }
  }
}

// Three sites send zeros.
struct Three {
  std::vector<std::string> roster = names_of(3);
  std::vector<Masker> maskers;

  explicit Three(bool with_group = true) {
    for (const std::string& name : roster) maskers.push_back(masker_of(name, roster, with_group));
  }
  Message sum(const Message& share, const MaskPosition& position) {
    Message sum = zeros(share.words.size(), share.scalars.size());
    for (Masker& masker : maskers) sum += masked(masker, share, position);
    return sum;
  }
};

TEST(Masker, SendsNoise) {
  Three three;
  for (Masker& masker : three.maskers) {
    EXPECT_NOISE(masked(masker, zeros(kMany, 1 << 15), {.exchange = 1}));
    EXPECT_NOISE(masked(masker, zeros(0, 1 << 15), {.exchange = 2}));
    EXPECT_NOISE(masked(masker, some_share(kMany, 3, 1), {.exchange = 3}));
  }
}

TEST(Masker, PadsSumWithGroupKey) {
  const Message share = zeros(kMany, 1 << 15);
  EXPECT_NOISE(Three().sum(share, {.exchange = 1}));
  EXPECT_NOISE(Three().sum(some_share(kMany, 3, 1), {.exchange = 1}));
  EXPECT_EQ(Three(kWithoutGroup).sum(share, {.exchange = 1}), share);
}

// The difference of two messages is noise as well: nothing cancels between positions.
TEST(Masker, UsesNewNoiseForEveryPosition) {
  const std::vector<MaskPosition> positions = {{.exchange = 1},
                                               {.exchange = 2},
                                               {.exchange = 1, .attempt_and_try = 1},
                                               {.exchange = 2, .attempt_and_try = 1},
                                               {.exchange = 1, .previous = sha256("one")},
                                               {.exchange = 1, .previous = sha256("another")},
                                               {.exchange = 1, .opener = "site-1"},
                                               {.exchange = 1, .opener = "site-2"}};
  Three three;
  for (Masker& masker : three.maskers) {
    for (std::size_t a = 0; a < positions.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        Message difference = masked(masker, zeros(1 << 16), positions[a]);
        const Message other = masked(masker, zeros(1 << 16), positions[b]);
        for (std::size_t k = 0; k < other.words.size(); ++k) difference.words[k] -= other.words[k];
        EXPECT_NOISE(difference) << a << " " << b;
      }
    }
  }
}

TEST(Masker, UsesNewNoiseForEveryLengthScaleAndKind) {
  Three three;
  Masker& masker = three.maskers[0];
  Message message = zeros(16, 2);
  const Message short_one = masked(masker, message, {.exchange = 1});
  EXPECT_NE(std::as_bytes(std::span(short_one.words))[0],
            std::as_bytes(std::span(short_one.scalars))[0]);
  Masker again = masker_of("site-0", three.roster);
  const Message long_one = masked(again, zeros(17, 3), {.exchange = 1});
  EXPECT_NE(long_one.words[0], short_one.words[0]);
  EXPECT_NE(long_one.scalars[0], short_one.scalars[0]);
  Masker third = masker_of("site-0", three.roster);
  third.mask({.words = message.words, .fraction_bits = 21, .scalars = message.scalars},
             {.exchange = 1});
  EXPECT_NE(message.words[0], short_one.words[0]);
}

// Gaussian masks would average out over rounds; these do not.
TEST(Masker, RevealsNothingOnAverage) {
  constexpr int kRounds = 1000;
  constexpr std::size_t kWords = 64;
  Three three;
  Message share = zeros(kWords, 0);
  std::ranges::fill(share.words, 1U << 30);  // half of the largest value
  for (const bool of_sum : {false, true}) {
    std::vector<double> average(kWords);
    for (int round = 0; round < kRounds; ++round) {
      const MaskPosition position{.exchange = static_cast<std::uint64_t>(round)};
      const Message sent =
          of_sum ? three.sum(share, position) : masked(three.maskers[1], share, position);
      for (std::size_t k = 0; k < kWords; ++k) {
        average[k] += static_cast<std::int32_t>(sent.words[k]) / 2147483648.0 / kRounds;
      }
    }
    const double deviation =
        1 / std::sqrt(3.0 * kRounds);  // of the mean of uniform draws from -1 .. 1
    for (const double x : average) EXPECT_LT(std::abs(x), 5 * deviation);
  }
}

TEST(Masker, DependsOnRosterButNotOnItsOrder) {
  const std::vector<std::string> roster = names_of(4);
  const std::vector<std::string> shuffled = {roster[2], roster[0], roster[3], roster[1]};
  // Site 4 replaces site 3: the same secrets with the others, but other streams.
  const std::vector<std::string> replaced = {roster[0], roster[1], roster[2], "site-4"};
  for (const char* name : {"site-0", "site-1", "site-2"}) {
    Masker a = masker_of(name, roster);
    Masker b = masker_of(name, shuffled);
    Masker c = masker_of(name, replaced);
    const Message sent = masked(a, zeros(1 << 16));
    EXPECT_EQ(masked(b, zeros(1 << 16)), sent);
    Message difference = masked(c, zeros(1 << 16));
    for (std::size_t k = 0; k < sent.words.size(); ++k) difference.words[k] -= sent.words[k];
    EXPECT_NOISE(difference);
  }
}

// If a site is missing or takes part in another attempt, the sum stays masked.
TEST(Masker, SumStaysNoiseUnlessAllTakePart) {
  Three three(kWithoutGroup);
  const Message share = zeros(kMany);
  for (std::size_t missing = 0; missing < 3; ++missing) {
    Message sum = zeros(kMany);
    for (std::size_t k = 0; k < 3; ++k) {
      if (k != missing) sum += masked(three.maskers[k], share, {.exchange = 1});
    }
    EXPECT_NOISE(sum);
    sum += masked(three.maskers[missing], share, {.exchange = 1, .attempt_and_try = 1});
    EXPECT_NOISE(sum);
  }
}

TEST(Masker, RefusesSecondShareAtSamePosition) {
  Three three;
  Masker& masker = three.maskers[0];
  const MaskPosition position{.exchange = 4, .previous = sha256("broadcast")};
  const Message share = some_share(100, 3, 1);
  const Message sent = masked(masker, share, position);
  EXPECT_EQ(masked(masker, share, position), sent);  // a resend
  (void)masked(masker, some_share(100, 3, 2), {.exchange = 5});

  Message other = share;
  other.words[99] ^= 1;
  EXPECT_THROW(masker.mask(other.view(), position), std::logic_error);
  other = share;
  other.scalars[2][3] ^= 1;
  EXPECT_THROW(masker.mask(other.view(), position), std::logic_error);
  other = share;
  other.words.push_back(0);
  EXPECT_THROW(masker.mask(other.view(), position), std::logic_error);
  other = share;
  other.scalars.clear();
  EXPECT_THROW(masker.mask(other.view(), position), std::logic_error);
  other = share;
  ShareView view = other.view();
  view.fraction_bits = 21;
  EXPECT_THROW(masker.mask(view, position), std::logic_error);
  EXPECT_EQ(other, share) << "a refused share is left as it is";
  EXPECT_EQ(masked(masker, share, position), sent);
}

TEST(Masker, OnlyOpenerCanUnmask) {
  Three three;
  const MaskPosition position{.exchange = 9, .opener = "site-1"};
  const Message share = some_share(kMany, 3, 1);
  Message plain = zeros(kMany);
  for (int k = 0; k < 3; ++k) plain += share;
  const Message sum = three.sum(share, position);
  EXPECT_NOISE(sum);
  EXPECT_EQ(unmasked(three.maskers[1], sum, position), plain);
  EXPECT_THROW(unmasked(three.maskers[0], sum, position), std::logic_error);
  // Neither the group key nor another masker of the same name helps without its key.
  EXPECT_NOISE(unmasked(three.maskers[0], sum, {.exchange = 9}));
  EXPECT_NOISE(unmasked(masker_of("site-1", three.roster), sum, position));
  EXPECT_THROW(masked(three.maskers[0], share, {.exchange = 9, .opener = "nobody"}),
               std::logic_error);
}

TEST(Masker, RefusesTwoSitesUnlessAllowed) {
  const auto make = [](std::vector<std::string> roster, bool allow_two) {
    Masker::Setup setup{.self = {"a", "study", roster, "run"},
                        .pairs = {},
                        .group = std::nullopt,
                        .allow_two = allow_two};
    for (const std::string& name : roster) {
      if (name != "a") setup.pairs.emplace(name, secret_of(name));
    }
    return Masker(std::move(setup));
  };
  EXPECT_THROW(make({"a", "b"}, false), Error);
  EXPECT_NO_THROW(make({"a", "b"}, true));
  EXPECT_NO_THROW(make({"a", "b", "c"}, false));
  EXPECT_THROW(make({"a"}, true), std::logic_error);
  EXPECT_THROW(make({"b", "c", "d"}, false),
               std::logic_error);  // the site itself is not in the roster
}

TEST(Masker, NeedsOneSecretPerPeer) {
  Masker::Setup setup{.self = {"a", "study", {"a", "b", "c"}, "run"},
                      .pairs = {},
                      .group = std::nullopt,
                      .allow_two = false};
  setup.pairs.emplace("b", secret_of("b"));
  setup.pairs.emplace("d", secret_of("d"));
  EXPECT_THROW(Masker(std::move(setup)), std::logic_error);
}

}  // namespace
}  // namespace firm
