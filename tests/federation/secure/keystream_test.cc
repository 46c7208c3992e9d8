// Keystreams: published test vectors, and contexts that cannot be confused.
#include "federation/secure/keystream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <type_traits>

#include "federation/secure/bytes.h"

namespace firm {
namespace {

using Words = std::vector<std::uint32_t>;
using Scalars = std::vector<ScalarWord>;

static_assert(!std::is_copy_constructible_v<Secret> && !std::is_copy_assignable_v<Secret>);

// RFC 5869, appendix A.1 to A.3.
TEST(Hkdf, MatchesPublishedVectors) {
  const auto range = [](int first, int last) {
    std::string bytes;
    for (int k = first; k <= last; ++k) bytes += static_cast<char>(k);
    return bytes;
  };
  const struct {
    std::string key, salt, info, result;
  } vectors[] = {
      {std::string(22, '\x0b'), range(0, 0x0c), range(0xf0, 0xf9),
       "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
      {range(0, 0x4f), range(0x60, 0xaf), range(0xb0, 0xff),
       "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb"
       "41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"},
      {std::string(22, '\x0b'), "", "",
       "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"}};
  for (const auto& v : vectors) {
    std::vector<std::byte> out(v.result.size() / 2);
    hkdf(bytes_of(v.key), v.salt, v.info, out);
    EXPECT_EQ(hex(out), v.result);
  }
}

TEST(Secret, LeavesZerosWhenMovedFrom) {
  Secret a = Secret::random();
  const std::string digits = hex(a.bytes());
  const Secret b = std::move(a);
  EXPECT_EQ(hex(b.bytes()), digits);
  EXPECT_EQ(hex(a.bytes()), std::string(64, '0'));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(hex(b.clone().bytes()), digits);
  EXPECT_NE(hex(Secret::random().bytes()), digits);
}

// NIST SP 800-38A, F.5.5.
TEST(Keystream, IsAes256InCounterMode) {
  const std::string key = unhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
  const std::string iv = unhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
  const std::string plain = unhex(
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
      "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
  const std::string cipher = unhex(
      "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
      "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6");
  Keystream stream(bytes_of(key).first<32>(), bytes_of(iv).first<16>());
  Words words(plain.size() / sizeof(std::uint32_t));
  stream.fill(words);
  std::string expected;
  for (std::size_t k = 0; k < plain.size(); ++k)
    expected += static_cast<char>(plain[k] ^ cipher[k]);
  EXPECT_EQ(hex(std::as_bytes(std::span(words))), hex(bytes_of(expected)));
}

// A stream is one sequence, however it is divided and whatever it is added to.
TEST(Keystream, ContinuesWhereItStopped) {
  const Secret secret = secret_of("stream");
  Words whole(30'000);
  Keystream(secret, {}).fill(whole);
  Keystream parts(secret, {});
  Words words(whole.size(), 5);
  std::size_t first = 0;
  for (std::size_t size = 1; first < words.size(); size = 3 * size + 1) {
    const std::size_t count = std::min(size, words.size() - first);
    parts.add_to(std::span(words).subspan(first, count));
    first += count;
  }
  for (std::size_t k = 0; k < words.size(); ++k) ASSERT_EQ(words[k], whole[k] + 5);
  Keystream(secret, {}).subtract_from(words);
  EXPECT_EQ(words, Words(words.size(), 5));
}

TEST(Keystream, AddsToScalarsModuloTwoToThe256) {
  const Secret secret = secret_of("stream");
  Words words(8 * 1000);
  Keystream(secret, {}).fill(words);
  Scalars scalars(1000, ScalarWord{7, 0, 1, 0});
  Keystream(secret, {}).add_to(scalars);
  ScalarWord first = {7, 0, 1, 0};
  ScalarWord noise{};
  for (std::size_t k = 0; k < 4; ++k)
    noise.at(k) = words[2 * k] | std::uint64_t{words[2 * k + 1]} << 32;
  add(noise, first);
  EXPECT_EQ(scalars[0], first);
  EXPECT_NE(scalars[999], scalars[0]);
  Keystream(secret, {}).subtract_from(scalars);
  EXPECT_EQ(scalars, Scalars(1000, ScalarWord{7, 0, 1, 0}));
}

MaskContext example() {
  return {.study = sha256("study"),
          .roster = {"xrt", "xrf-2", "xrf-1"},
          .scope = MaskScope::kPair,
          .holders = {"xrt", "xrf-1"},
          .position = {.exchange = 0, .attempt_and_try = 0, .previous = "", .opener = ""},
          .kind = MaskKind::kVector,
          .length = 62500,
          .scale = 20};
}

// Known answers for other implementations. Secret: the bytes 00 01 .. 1f. Study: sha256("study") in
// hexadecimal; previous, if any: sha256("broadcast"); roster: xrf-1, xrf-2, xrt.
//
//   scope holders      round attempt previous opener kind    length scale  first bytes
//   pair  xrf-1, xrt   0     0       -        -      vector  62500  20     63d643bd18c3ac0b...
//   pair  xrf-1, xrt   7     2       yes      -      vector  62500  -3     b78c15c6fe7602bf...
//   group all          7     2       yes      -      scalars 8      160    b00ee472042d6b67...
//   alone xrt          8     0       yes      xrt    vector  62500  20     f58f6403d81812fe...
TEST(MaskContext, MatchesKnownAnswers) {
  std::vector<std::byte> bytes(Secret::kSize);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::byte>(k);
  const Secret secret(std::span<const std::byte>(bytes).first<Secret::kSize>());
  const auto expect = [&](const MaskContext& context, const std::string& hash,
                          const std::string& digits) {
    EXPECT_EQ(sha256(context.bytes()), hash);
    Words words(4);
    Keystream(secret, context).fill(words);
    EXPECT_EQ(hex(std::as_bytes(std::span(words))), digits);
  };
  MaskContext context = example();
  expect(context, "5006c3b8f9f5fd8a1ff365e82b72e2429e87fb3ab1bb496410612f881dd3d353",
         "63d643bd18c3ac0bb6c9ede0cef066a0");
  context.position = {
      .exchange = 7, .attempt_and_try = 2, .previous = sha256("broadcast"), .opener = ""};
  context.scale = -3;
  expect(context, "bc87c2db4282f47049374624fc2577be825358e22beb27f59e49eafa6a66626c",
         "b78c15c6fe7602bf0209d75e04e03a47");
  context.scope = MaskScope::kGroup;
  context.holders = context.roster;
  context.kind = MaskKind::kScalars;
  context.length = 8;
  context.scale = 160;
  expect(context, "f411300a838f4a39449baf54fa1033782d2b9b41bf5d30b9c2476f182ccf9f0f",
         "b00ee472042d6b6727d1b26250552753");
  context = example();
  context.scope = MaskScope::kAlone;
  context.holders = {"xrt"};
  context.position = {
      .exchange = 8, .attempt_and_try = 0, .previous = sha256("broadcast"), .opener = "xrt"};
  expect(context, "079ac6748b0b3af2e8d9267b333091f56931e197c9412f667e50c90472f64f7b",
         "f58f6403d81812feaeb1dedd348f7b1b");
}

TEST(MaskContext, DependsOnEveryField) {
  std::set<std::string> seen = {example().bytes()};
  const auto expect_new = [&](auto change) {
    MaskContext context = example();
    change(context);
    EXPECT_TRUE(seen.insert(context.bytes()).second);
  };
  expect_new([](MaskContext& c) { c.study = sha256("Study"); });
  expect_new([](MaskContext& c) { c.roster.pop_back(); });
  expect_new([](MaskContext& c) { c.roster[1] = "xrf-3"; });
  expect_new([](MaskContext& c) { c.scope = MaskScope::kGroup; });
  expect_new([](MaskContext& c) { c.scope = MaskScope::kAlone; });
  expect_new([](MaskContext& c) { c.holders[1] = "xrf-2"; });
  expect_new([](MaskContext& c) { c.holders.pop_back(); });
  expect_new([](MaskContext& c) { c.position.exchange = 1; });
  expect_new([](MaskContext& c) { c.position.attempt_and_try = 1; });
  expect_new([](MaskContext& c) { c.position.previous = "x"; });
  expect_new([](MaskContext& c) { c.position.opener = "x"; });
  expect_new([](MaskContext& c) { c.kind = MaskKind::kScalars; });
  expect_new([](MaskContext& c) { c.length = 62501; });
  expect_new([](MaskContext& c) { c.scale = 21; });
  expect_new([](MaskContext& c) { c.scale = -20; });
  // The boundary between two texts counts.
  expect_new([](MaskContext& c) { c.roster = {"a", "bc"}; });
  expect_new([](MaskContext& c) { c.roster = {"ab", "c"}; });
  expect_new([](MaskContext& c) { c.roster = {"abc"}; });
  expect_new([](MaskContext& c) { c.roster = {"a", "b,c"}; });
  expect_new([](MaskContext& c) { c.position.previous = "xy"; });
  expect_new([](MaskContext& c) { c.position.opener = "xy"; });
  expect_new([](MaskContext& c) { c.position.previous = c.position.opener = "x"; });
}

TEST(MaskContext, IgnoresOrderOfNames) {
  MaskContext other = example();
  std::ranges::reverse(other.roster);
  std::ranges::reverse(other.holders);
  EXPECT_EQ(other.bytes(), example().bytes());
  other.roster.push_back("xrt");
  EXPECT_THROW(other.bytes(), std::logic_error);  // twice
  other.roster = {"", "xrt"};
  EXPECT_THROW(other.bytes(), std::logic_error);
}

// Parses the bytes of a context, which shows that no two contexts have the same bytes.
class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int k = 7; k >= 0; --k) {
      value = value << 8 | static_cast<unsigned char>(bytes_.at(at_ + static_cast<std::size_t>(k)));
    }
    at_ += 8;
    return value;
  }
  std::string text() {
    const std::size_t size = number();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  std::vector<std::string> names() {
    std::vector<std::string> names(number());
    for (std::string& name : names) name = text();
    return names;
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

TEST(MaskContext, CanBeParsed) {
  std::mt19937 random(1);
  const auto any_text = [&](std::size_t least) {
    std::string text(least + random() % 12, '\0');
    for (char& c : text) c = static_cast<char>(random() % 4);  // looks like lengths and numbers
    return text;
  };
  const auto any_names = [&] {
    std::set<std::string> names;
    for (std::size_t k = random() % 5; k > 0; --k) names.insert(any_text(1));
    return std::vector(names.begin(), names.end());
  };
  for (int trial = 0; trial < 1000; ++trial) {
    const MaskContext context = {.study = any_text(0),
                                 .roster = any_names(),
                                 .scope = static_cast<MaskScope>(1 + random() % 3),
                                 .holders = any_names(),
                                 .position = {random(), random(), any_text(0), any_text(0)},
                                 .kind = static_cast<MaskKind>(1 + random() % 2),
                                 .length = random(),
                                 .scale = static_cast<int>(random() % 300) - 150};
    Reader reader(context.bytes());
    ASSERT_EQ(reader.text(), "firm/v1/mask");
    ASSERT_EQ(reader.text(), context.study);
    ASSERT_EQ(reader.names(), context.roster);
    ASSERT_EQ(reader.number(), static_cast<std::uint64_t>(context.scope));
    ASSERT_EQ(reader.names(), context.holders);
    ASSERT_EQ(reader.number(), context.position.exchange);
    ASSERT_EQ(reader.number(), context.position.attempt_and_try);
    ASSERT_EQ(reader.text(), context.position.previous);
    ASSERT_EQ(reader.text(), context.position.opener);
    ASSERT_EQ(reader.number(), static_cast<std::uint64_t>(context.kind));
    ASSERT_EQ(reader.number(), context.length);
    ASSERT_EQ(static_cast<std::int64_t>(reader.number()), context.scale);
    ASSERT_TRUE(reader.at_end());
  }
}

}  // namespace
}  // namespace firm
