// Fingerprints: equal for equal data, different for different data or another key.
#include "federation/secure/fingerprint.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace firm {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Fingerprint, IsEqualForEqualPieces) {
  const FingerprintMaker fingerprint;
  const std::string a(100'000, 'a');
  const std::string copy = a;
  EXPECT_EQ(fingerprint({bytes_of(a), bytes_of("b")}),
            fingerprint({bytes_of(copy), bytes_of("b")}));
  EXPECT_EQ(fingerprint({}), fingerprint({}));
}

TEST(Fingerprint, DiffersForDifferentPieces) {
  const FingerprintMaker fingerprint;
  std::set<Fingerprint> seen;
  const auto is_new = [&](const Fingerprint& print) { return seen.insert(print).second; };
  EXPECT_TRUE(is_new(fingerprint({})));
  EXPECT_TRUE(is_new(fingerprint({bytes_of("")})));
  EXPECT_TRUE(is_new(fingerprint({bytes_of(""), bytes_of("")})));
  EXPECT_TRUE(is_new(fingerprint({bytes_of("ab")})));
  EXPECT_TRUE(is_new(fingerprint({bytes_of("a"), bytes_of("b")})));
  EXPECT_TRUE(is_new(fingerprint({bytes_of("b"), bytes_of("a")})));
  EXPECT_TRUE(is_new(fingerprint({bytes_of("ab"), bytes_of("")})));
  std::string text(1000, 'x');
  EXPECT_TRUE(is_new(fingerprint({bytes_of(text)})));
  for (char& c : text) {
    c ^= 1;
    EXPECT_TRUE(is_new(fingerprint({bytes_of(text)})));
  }
}

// Nobody can compute the fingerprint from the pieces alone.
TEST(Fingerprint, DiffersForEveryMaker) {
  EXPECT_NE(FingerprintMaker()({bytes_of("a")}), FingerprintMaker()({bytes_of("a")}));
}

}  // namespace
}  // namespace firm
