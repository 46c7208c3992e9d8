#include "core/shell_quote.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace firm {
namespace {

// The words that a shell makes of `command`, one per line.
std::string words_of(const std::string& command) {
  std::FILE* shell = ::popen(("printf '%s\\n' " + command).c_str(), "r");
  std::string text;
  for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) text += static_cast<char>(c);
  ::pclose(shell);
  return text;
}

TEST(ShellQuote, LeavesPlainWordsAlone) {
  for (const char* word : {"run", "/data/2027-01/study.toml", "stop.kkt=1e-3", "a_b,c:d@e+f%"}) {
    EXPECT_EQ(shell_quote(word), word);
  }
}

TEST(ShellQuote, QuotesSpecialCharacters) {
  EXPECT_EQ(shell_quote("my run"), "'my run'");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("Anna's"), "'Anna'\\''s'");
}

TEST(ShellQuote, IsUndoneByShell) {
  for (const std::string word : {"two words", "$HOME", "a;b", "~", "*", "a\\b", "'", "\"x\"",
                                 "`date`", "(1)", "#1", "!", "a\tb", "M\u00fcller"}) {
    EXPECT_EQ(words_of(shell_quote(word)), word + "\n");
  }
}

}  // namespace
}  // namespace firm
