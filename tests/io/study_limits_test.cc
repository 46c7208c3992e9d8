// Studies that are too large, or nested too deeply.
#include "io/study/study_limits.h"

#include <gtest/gtest.h>

#include "io/study/study_file.h"
#include "io/study_lines.h"

namespace firm {
namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t k = 0; k < count; ++k) all += text;
  return all;
}

void expect_refused(const std::string& text, const std::string& part) {
  EXPECT_CONTAINS(error_of([&] { parse_study(text, "s.toml"); }), part);
}

// The TOML library crashes on them.
TEST(StudyLimits, RefusesKeysOfManyParts) {
  const std::string deep = repeated("a.", 100000) + "b";
  const std::string part = ": expected keys of at most 16 parts, found a key of more parts";
  expect_refused(deep + " = 1\n", "s.toml:1" + part);
  expect_refused("\n[" + deep + "]\n", "s.toml:2" + part);
  expect_refused("\n\n[[" + deep + "]]\n", "s.toml:3" + part);
  expect_refused("x = { " + deep + " = 1 }\n", "s.toml:1" + part);
  expect_refused("x = [\"\"\"a\n\"b\"\"\"\"\"]\n" + deep + " = 1\n", "s.toml:3" + part);
  expect_refused(repeated("\"a\\\"\" . ", 100) + "b = 1\n", "s.toml:1" + part);
  expect_refused(repeated("'a' . ", 100) + "b = 1\n", "s.toml:1" + part);
}

TEST(StudyLimits, RefusesDeepValues) {
  expect_refused("x = " + repeated("[", 100000), "s.toml:1");
  expect_refused("x = " + repeated("{ a = ", 100000), "s.toml:1");
}

TEST(StudyLimits, AllowsDotsElsewhere) {
  const TemporaryDirectory directory;
  const std::string dots(1000, '.');
  EXPECT_EQ(read(directory, with(3, "description = \"" + dots + "\" # " + dots)).description, dots);
  EXPECT_EQ(read(directory, with(3, "description = '" + dots + "'")).description, dots);
  EXPECT_EQ(read(directory, with(3, "description = '''\n" + dots + "'''")).description, dots);
  const std::string numbers = repeated("1.5, ", 100);
  EXPECT_EQ(read(directory, with(16, "shifts = [" + numbers + "]")).sites[0].shifts.values.size(),
            100u);
}

TEST(StudyLimits, RefusesManySites) {
  std::string text;
  for (const std::string& line : kGood) text += line + "\n";
  const std::string head = text.substr(0, text.find("[[site]]"));
  std::string sites;
  for (int k = 0; k < 1001; ++k) {
    sites += "[[site]]\nname = \"s" + std::to_string(k) + "\"\n";
  }
  expect_refused(head + sites, "s.toml:2011: [[site]]: expected at most 1000 sites, found 1001");
}

TEST(StudyLimits, RefusesLongText) {
  expect_refused(std::string(kMostStudyBytes + 1, '#'),
                 "s.toml: expected a study of at most 33554432 bytes, found 33554433");
  EXPECT_CONTAINS(error_of([] { read_study("/dev/zero"); }),
                  "/dev/zero: expected a study of at most 33554432 bytes");
}

}  // namespace
}  // namespace firm
