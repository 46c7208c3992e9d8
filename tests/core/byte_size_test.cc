#include "core/byte_size.h"

#include <gtest/gtest.h>

namespace firm {
namespace {

TEST(ByteSize, ReadsPowersOf1000And1024) {
  EXPECT_EQ(parse_byte_size("2GB"), 2000000000u);
  EXPECT_EQ(parse_byte_size("1500MB"), 1500000000u);
  EXPECT_EQ(parse_byte_size("2GiB"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_byte_size("0.5 TB"), 500000000000u);
  EXPECT_EQ(parse_byte_size("3 kb"), 3000u);
  EXPECT_EQ(parse_byte_size("3KiB"), 3072u);
  EXPECT_EQ(parse_byte_size("1 tib"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_byte_size("1.5B"), 1u);
}

TEST(ByteSize, RejectsEverythingElse) {
  for (const char* text : {"", "2", "GB", "2XB", "-1GB", "0GB", "0.5B", "2GBs", "2 G B", "nanGB",
                           "infGB", "1e30TB", " 2GB", "2GB ", "0x2GB", "2,5GB"}) {
    EXPECT_FALSE(parse_byte_size(text)) << text;
  }
}

TEST(ByteSize, WritesShortText) {
  EXPECT_EQ(byte_size_text(325 << 20), "325 MiB");
  EXPECT_EQ(byte_size_text(std::uint64_t{3} << 29), "1.5 GiB");
}

}  // namespace
}  // namespace firm
