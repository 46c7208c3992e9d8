// Text from peers, made safe for a terminal.
#include "federation/secure/peer_text.h"

#include <gtest/gtest.h>

namespace firm {
namespace {

TEST(PeerText, EscapesControlCharacters) {
  EXPECT_EQ(peer_text("a \x1b[2J b"), "a \\x1b[2J b");
  EXPECT_EQ(peer_text("\xc2\x9b"
                      "2J"),
            "\\xc2\\x9b2J");  // CSI as one character
  EXPECT_EQ(peer_text("caf\xe9 \xff \xe2\x82"), "caf\\xe9 \\xff \\xe2\\x82");  // not UTF-8
  EXPECT_EQ(peer_text("M\xc3\xbcnchen \xe2\x82\xac \xf0\x9f\x98\x80"),
            "M\xc3\xbcnchen \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(peer_text("one\ntwo\n  three"), "one\n  two\n  three");
  EXPECT_EQ(peer_text(std::string(5000, 'x')), std::string(4000, 'x') + " ...");
}

}  // namespace
}  // namespace firm
