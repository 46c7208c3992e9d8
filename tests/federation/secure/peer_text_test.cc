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

// Half a character would make a message invalid for protobuf.
TEST(PeerText, IsCutBetweenCharacters) {
  const std::string umlaut = "\xc3\xbc";
  const std::string face = "\xf0\x9f\x98\x80";
  EXPECT_EQ(peer_text("ab" + umlaut, 4), "ab" + umlaut);
  EXPECT_EQ(peer_text("abc" + umlaut, 4), "abc ...");
  EXPECT_EQ(peer_text("ab" + face, 5), "ab ...");
  EXPECT_EQ(peer_text("ab\x1b", 5), "ab ...");
  const std::string escaped = peer_text("a\nb \x1b\xff" + face);
  EXPECT_EQ(peer_text(escaped), escaped);
}

// Overlong forms, surrogates and numbers beyond Unicode, which protobuf refuses as well.
TEST(PeerText, EscapesWhatOnlyLooksLikeUtf8) {
  for (const char* bytes :
       {"\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xc0\xaf"}) {
    EXPECT_TRUE(peer_text(bytes).starts_with("\\x")) << peer_text(bytes);
  }
}

}  // namespace
}  // namespace firm
