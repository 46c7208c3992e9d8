// Lines of history.jsonl, chosen by chunk and round.
#include "run/store/history.h"

#include <gtest/gtest.h>

#include <string>

namespace firm {
namespace {

TEST(History, SelectsLinesOfChunk) {
  const std::string lines =
      "{\"chunk\":0,\"round\":0}\n{\"chunk\":0,\"round\":1}\n{\"chunk\":1,\"round\":0}\n"
      "{\"chunk\":2,\"round\":0}\n{\"chunk\":2,\"rou";
  EXPECT_EQ(lines_of_chunk(lines, 1), "{\"chunk\":1,\"round\":0}\n");
  EXPECT_EQ(lines_after_chunk(lines, 1), "{\"chunk\":2,\"round\":0}\n");
  EXPECT_EQ(lines_before(lines_of_chunk(lines, 0), 1), "{\"chunk\":0,\"round\":0}\n");
  EXPECT_EQ(lines_before("{\"round\":0}\nnonsense\n{\"round\":1}\n", 5), "{\"round\":0}\n");
}

TEST(History, EndsAtLineOfWrongType) {
  for (const std::string wrong : {"{\"round\":\"x\"}", "{\"round\":1,\"chunk\":\"x\"}",
                                  "{\"round\":1,\"chunk\":-1}", "[]", "1"}) {
    const std::string lines = "{\"round\":0}\n" + wrong + "\n{\"round\":1}\n";
    EXPECT_EQ(lines_before(lines, 5), "{\"round\":0}\n") << wrong;
    EXPECT_EQ(lines_of_chunk(lines, 0), "{\"round\":0}\n") << wrong;
    EXPECT_EQ(lines_after_chunk(lines, 0), "") << wrong;
  }
}

}  // namespace
}  // namespace firm
