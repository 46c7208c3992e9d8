#include "firm/error.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace firm {
namespace {

TEST(Error, KindIsTheExitCode) {
  EXPECT_EQ(Error(Error::Kind::kUsage, "").exit_code(), 2);
  EXPECT_EQ(Error(Error::Kind::kData, "").exit_code(), 3);
  EXPECT_EQ(Error(Error::Kind::kNetwork, "").exit_code(), 4);
}

TEST(Error, KeepsItsMessage) {
  const Error error(Error::Kind::kNetwork, "connection refused");
  EXPECT_EQ(error.kind(), Error::Kind::kNetwork);
  EXPECT_STREQ(error.what(), "connection refused");
}

TEST(Mismatch, NamesAllFourParts) {
  const Error error = data_error({"xrf-1.h5", "exchange/theta", "25 angles", "24"});
  EXPECT_EQ(error.kind(), Error::Kind::kData);
  EXPECT_STREQ(error.what(), "xrf-1.h5: exchange/theta: expected 25 angles, found 24");
}

TEST(Mismatch, LeavesOutPartsThatAreEmpty) {
  EXPECT_STREQ(usage_error({"", "--size", "a positive number", "0"}).what(),
               "--size: expected a positive number, found 0");
  EXPECT_STREQ(usage_error({"study.toml", "", "a file", "a folder"}).what(),
               "study.toml: expected a file, found a folder");
}

// Braces in a user's text are data, not a format.
TEST(Mismatch, TakesTextLiterally) {
  EXPECT_STREQ(usage_error({"{}", "{0}", "{:d}", "}{"}).what(), "{}: {0}: expected {:d}, found }{");
}

TEST(Mismatch, ShortensLongParts) {
  const std::string start(1598, 'a');
  const std::string end(399, 'z');
  // Both cuts are within a character of three bytes.
  const std::string found = start + "\u20ac" + std::string(30'000'000, 'm') + "\u20ac" + end;
  const std::string expected =
      "expected x, found " + start + "... (30000003 bytes) ...\u20ac" + end;
  EXPECT_EQ(std::string(data_error({"", "", "x", found}).what()), expected);
  const std::string most(2000, 'a');
  EXPECT_EQ(std::string(data_error({"", "", "x", most}).what()), "expected x, found " + most);
}

TEST(Mismatch, EscapesControlCharacters) {
  EXPECT_STREQ(usage_error({"a\rb", "c", "d\x7f", "\x1b[31m\u00b5\n\t"}).what(),
               "a\\x0db: c: expected d\\x7f, found \\x1b[31m\u00b5\n\t");
}

TEST(Mismatch, UsageErrorIsOfKindUsage) { EXPECT_EQ(usage_error({}).kind(), Error::Kind::kUsage); }

TEST(Check, PassesWithoutEffect) { EXPECT_NO_THROW(FIRM_CHECK(1 + 1 == 2)); }

TEST(Check, EvaluatesItsConditionOnce) {
  int evaluations = 0;
  FIRM_CHECK(++evaluations > 0);
  EXPECT_EQ(evaluations, 1);
}

TEST(Check, FailureIsALogicErrorThatSaysWhatAndWhere) {
  try {
    FIRM_CHECK(2 < 1);
    FAIL() << "FIRM_CHECK let a false condition pass";
  } catch (const std::logic_error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("2 < 1"), std::string::npos) << message;
    EXPECT_NE(message.find("error_test.cc:"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace firm
