// Tags of sums: those of the right sum match, those of any other do not.
#include "federation/secure/sum_tag.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "federation/secure/bytes.h"

namespace firm {
namespace {

using Words = std::vector<std::uint32_t>;
using Scalars = std::vector<ScalarWord>;

struct Message {
  Words words;
  Scalars scalars;
  Tags tags{};

  Message& operator+=(const Message& other) {
    add(other.words, words);
    add(other.scalars, scalars);
    add(other.tags, tags);
    return *this;
  }
};

SumTag tag_of(const std::string& sum, const Message& m) {
  MaskContext context;
  context.position.previous = sum;
  context.kind = MaskKind::kTag;
  return {Keystream(secret_of("group"), context), m.words.size(), m.scalars.size()};
}

bool matches(const SumTag& tag, const Message& m, std::size_t sites) {
  return tag.matches(m.words, m.scalars, m.tags, sites);
}

// A share with the largest and smallest words and scalars that may be sent, among others.
Message some_share(std::size_t words, std::size_t scalars, std::size_t sites, std::mt19937_64& g) {
  Message m{Words(words), Scalars(scalars)};
  const auto most = static_cast<std::int64_t>(((std::uint64_t{1} << 31) - 1) / sites);
  std::uniform_int_distribution<std::int64_t> word(-most, most);
  for (std::size_t k = 0; k < words; ++k) {
    const std::int64_t x = k % 5 == 0 ? most : k % 5 == 1 ? -most : word(g);
    m.words[k] = static_cast<std::uint32_t>(x);
  }
  std::uniform_real_distribution<double> fraction(-1, 1);
  std::vector<double> values(scalars);
  for (std::size_t k = 0; k < scalars; ++k) {
    const double size = std::ldexp(1.0, k % 3 == 0 ? 95 : k % 3 == 1 ? -160 : 3);
    values[k] = (k % 2 == 0 ? 0.999999 : -0.999999) * size / static_cast<double>(sites);
    if (k % 4 == 3) values[k] = fraction(g);
  }
  EXPECT_FALSE(encode(values, sites, m.scalars));
  return m;
}

// The shares of all sites, with tags.
std::vector<Message> some_shares(const SumTag& tag, const Message& size, std::size_t sites,
                                 std::mt19937_64& g) {
  std::vector<Message> shares;
  for (std::size_t i = 0; i < sites; ++i) {
    shares.push_back(some_share(size.words.size(), size.scalars.size(), sites, g));
    shares.back().tags = tag.of(shares.back().words, shares.back().scalars);
  }
  return shares;
}

Message sum_of(const std::vector<Message>& shares) {
  Message sum = shares.front();
  for (std::size_t i = 1; i < shares.size(); ++i) sum += shares[i];
  return sum;
}

TEST(SumTag, MatchesSums) {
  std::mt19937_64 g(1);
  for (const std::size_t sites : {1u, 2u, 3u, 4u, 30u, 1000u}) {
    for (const std::size_t words : {0u, 1u, 7u, 511u, 512u, 513u, 5000u}) {
      for (const std::size_t scalars : {0u, 1u, 12u}) {
        const Message size{Words(words), Scalars(scalars)};
        const SumTag tag = tag_of("sum", size);
        EXPECT_TRUE(matches(tag, sum_of(some_shares(tag, size, sites, g)), sites))
            << sites << " sites, " << words << " words, " << scalars << " scalars";
      }
    }
  }
}

// The formulas of sum_tag.h, term by term.
TEST(SumTag, IsSumOfSecretNumbersTimesWords) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::size_t kWords = 1100;
  std::mt19937_64 g(2);
  const Message share = some_share(kWords, 0, 3, g);
  MaskContext context;
  context.position.previous = "sum";
  context.kind = MaskKind::kTag;
  Keystream stream(secret_of("group"), context);
  std::vector<Wide> numbers(512 + 3);
  stream.read(std::as_writable_bytes(std::span(numbers)));
  constexpr Wide kP = (Wide{1} << 63) - 25;
  Wide sum = 0;
  for (std::size_t k = 0; k < kWords; ++k) {
    const Wide rho = numbers[512 + k / 512] % kP * (numbers[k % 512] % kP) % kP;
    const auto x = static_cast<std::int32_t>(share.words[k]);
    sum += rho * (x < 0 ? kP - static_cast<Wide>(-std::int64_t{x}) : static_cast<Wide>(x)) % kP;
  }
  const Tags tags = tag_of("sum", share).of(share.words, share.scalars);
  EXPECT_EQ(tags[0], ScalarWord{static_cast<std::uint64_t>(sum % kP)});
  EXPECT_EQ(tags[1], ScalarWord{});
}

// Forges totals as a coordinator can without the key. It cannot leave out a share with its tags:
// then masks do not cancel, and everything is noise ("random words").
using Forgery = std::function<void(Message& sum, const std::vector<Message>& shares,
                                   const Message& old, std::mt19937_64& g)>;

const std::map<std::string, Forgery> kForgeries = {
    {"add 1", [](auto& s, auto&, auto&, auto& g) { s.words[g() % s.words.size()] += 1; }},
    {"subtract 1", [](auto& s, auto&, auto&, auto& g) { s.words[g() % s.words.size()] -= 1; }},
    {"add 2^31",
     [](auto& s, auto&, auto&, auto& g) { s.words[g() % s.words.size()] += 0x80000000U; }},
    {"add 2^31 twice",
     [](auto& s, auto&, auto&, auto&) {
       s.words[0] += 0x80000000U;
       s.words[1] += 0x80000000U;
     }},
    {"swap two words", [](auto& s, auto&, auto&, auto&) { std::swap(s.words[3], s.words[4]); }},
    {"swap two blocks",
     [](auto& s, auto&, auto&, auto&) {
       std::swap_ranges(s.words.begin(), s.words.begin() + 512, s.words.begin() + 512);
     }},
    {"drop the words of a site",
     [](auto& s, auto& shares, auto&, auto&) {
       for (std::size_t k = 0; k < s.words.size(); ++k) s.words[k] -= shares[1].words[k];
     }},
    {"replay", [](auto& s, auto&, auto& old, auto&) { s = old; }},
    {"replay words", [](auto& s, auto&, auto& old, auto&) { s.words = old.words; }},
    {"zeros", [](auto& s, auto&, auto&, auto&) { std::ranges::fill(s.words, 0); }},
    {"random words",
     [](auto& s, auto&, auto&, auto& g) {
       for (auto& w : s.words) w = static_cast<unsigned>(g());
     }},
    {"add to the tag", [](auto& s, auto&, auto&, auto&) { s.tags[0][0] += 1; }},
    {"beyond the range of the tag",
     [](auto& s, auto&, auto&, auto&) {
       for (int k = 0; k < 3; ++k) add(ScalarWord{SumTag::kPrime}, s.tags[0]);
     }},
    {"below the range of the tag",
     [](auto& s, auto&, auto&, auto&) {
       for (int k = 0; k < 3; ++k) add(negated(ScalarWord{SumTag::kPrime}), s.tags[0]);
     }},
    {"add 1 to a scalar", [](auto& s, auto&, auto&, auto&) { add(ScalarWord{1}, s.scalars[2]); }},
    {"add 2^255 to a scalar",
     [](auto& s, auto&, auto&, auto&) {
       add(ScalarWord{0, 0, 0, std::uint64_t{1} << 63}, s.scalars[0]);
     }},
    {"swap scalars", [](auto& s, auto&, auto&, auto&) { std::swap(s.scalars[0], s.scalars[1]); }},
    {"add to the tag of scalars",
     [](auto& s, auto&, auto&, auto& g) { add(ScalarWord{g()}, s.tags[1]); }},
    {"replay scalars", [](auto& s, auto&, auto& old, auto&) { s.scalars = old.scalars; }},
    {"drop the scalars of a site", [](auto& s, auto& shares, auto&, auto&) {
       for (std::size_t k = 0; k < s.scalars.size(); ++k) {
         add(negated(shares[1].scalars[k]), s.scalars[k]);
       }
     }}};

TEST(SumTag, FailsForEveryForgery) {
  constexpr std::size_t kSites = 3;
  const Message size{Words(1030), Scalars(5)};
  std::mt19937_64 g(3);
  const SumTag before = tag_of("sum before", size);
  const Message old = sum_of(some_shares(before, size, kSites, g));
  for (int turn = 0; turn < 20; ++turn) {
    const SumTag tag = tag_of("sum " + std::to_string(turn), size);
    const std::vector<Message> shares = some_shares(tag, size, kSites, g);
    for (const auto& [what, forge] : kForgeries) {
      Message sum = sum_of(shares);
      ASSERT_TRUE(matches(tag, sum, kSites));
      forge(sum, shares, old, g);
      EXPECT_FALSE(matches(tag, sum, kSites)) << what;
    }
  }
}

// ---- the same scheme in small numbers, for every key and every forgery -------------------------

// Words modulo 8, p = 17 > 8, rho_k = a_k b as for two words in two blocks. Returns the number of
// keys (a, b) for which each forgery of a total passes.
TEST(SumTagInSmallField, PassesForgeryForAtMostTwoOfPKeys) {
  constexpr int kP = 17;
  constexpr int kSites = 2;
  const int shares[kSites][2] = {{1, -1}, {-2, 1}};  // signed, no sum wraps modulo 8
  const auto as_signed = [](int word) { return word >= 4 ? word - 8 : word; };
  std::map<std::array<int, 3>, int> passed;  // by what is added to both words and to T
  const auto modulo_p = [](int x) { return (x % kP + kP) % kP; };
  for (int key = 0; key < kP * kP * kP; ++key) {
    const int b = key % kP;
    const int rho[2] = {key / kP % kP * b % kP, key / kP / kP * b % kP};
    int total = 0;
    for (const auto& x : shares) total += modulo_p(rho[0] * x[0] + rho[1] * x[1]);
    for (int d0 = 0; d0 < 8; ++d0) {
      for (int d1 = 0; d1 < 8; ++d1) {
        if (d0 == 0 && d1 == 0) continue;
        const int s0 = as_signed((shares[0][0] + shares[1][0] + d0 + 16) % 8);
        const int s1 = as_signed((shares[0][1] + shares[1][1] + d1 + 16) % 8);
        for (int t = -kSites * kP; t <= kSites * kP; ++t) {
          const int forged = total + t;
          if (forged < 0 || forged >= kSites * kP) continue;
          if (modulo_p(rho[0] * s0 + rho[1] * s1) == forged % kP) ++passed[{d0, d1, t}];
        }
      }
    }
  }
  int most = 0;
  for (const auto& [forgery, keys] : passed) most = std::max(most, keys);
  EXPECT_LE(most, 2 * kP * kP) << "of p^3 keys";
  EXPECT_GT(most, kP * kP / 2) << "the bound is nearly reached";
}

// Scalars modulo 16, q = 16 + 1, keys r of 16 values: the tag modulo 16 hides up to N carries.
TEST(SumTagInSmallField, PassesForgedScalarForFewKeys) {
  constexpr int kQ = 17;
  constexpr int kSites = 2;
  const int shares[kSites] = {3, -5};
  for (int d = 1; d < 16; ++d) {
    const int z = (shares[0] + shares[1] + d + 16) % 16;
    const int forged = z >= 8 ? z - 16 : z;
    for (int t = 0; t < 16; ++t) {
      int passed = 0;
      for (int r = 0; r < 16; ++r) {
        int total = 0;
        for (const int x : shares) total += ((r * x) % kQ + kQ) % kQ;
        const int word = (total + t) % 16;
        bool passes = false;
        for (int m = 0; m <= kSites; ++m) {
          passes = passes || (word + 16 * m - r * forged) % kQ == 0;
        }
        passed += passes ? 1 : 0;
      }
      EXPECT_LE(passed, 2 * kSites + 2) << d << " " << t;
    }
  }
}

}  // namespace
}  // namespace firm
