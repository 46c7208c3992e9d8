// Lines of a ledger: JSON, with a hash that ties each line to all lines before it.
//
//     chain_0 = 64 zeros,   chain_k = SHA-256(chain_{k-1}, line k without its chain)
//
// The hash is the last member of a line, ,"chain":"..."} and the line without it ends with }. So a
// line that was changed, removed or inserted later shows.
#pragma once

#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace firm {

class LedgerChain {
 public:
  // Returns the text of the next line, with its chain. Call follow() once it is written.
  std::string next_line(const nlohmann::ordered_json& line) const;
  // Returns whether this line follows the last one; then it becomes the last one.
  bool follow(const std::string& line);

 private:
  std::string last_ = std::string(64, '0');
};

// Ends a line that a crash or a full disk has cut off; its message was not sent.
inline constexpr const char* kCutOff = " (cut off: not sent)";

// Reads the lines of a ledger, and checks each by itself and that it follows those before it. Skips
// a line that was cut off.
class LedgerLines {
 public:
  // A file that does not exist has no lines. `hint`: what to do about an invalid line, in errors.
  explicit LedgerLines(std::string path, std::string hint = "");

  bool exists() const { return in_.is_open(); }
  // Reads the next line; returns false after the last one. Throws firm::Error (kData) that names
  // the line.
  bool next(nlohmann::json& line);
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;

  const std::string& text() const { return text_; }    // of the last line
  bool cut_off() const { return cut_off_; }            // the last line has no end
  const LedgerChain& chain() const { return chain_; }  // of the lines read

 private:
  bool next_text();

  std::string path_;
  std::string hint_;
  std::ifstream in_;
  std::string buffer_;
  std::string text_;
  LedgerChain chain_;
  int number_ = 0;
  bool cut_off_ = false;
};

}  // namespace firm
