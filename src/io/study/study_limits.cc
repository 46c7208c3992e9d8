#include "io/study/study_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/byte_size.h"
#include "firm/error.h"
#include "io/study/study_table.h"

namespace firm {
namespace {

// Walks through TOML text and skips comments and strings. Needs no more of the grammar: the parser
// stops at the first error, so text that this class misunderstands is never reached.
class KeyScan {
 public:
  explicit KeyScan(std::string_view text) : text_(text) {}

  // Line of the first key with more than `most` parts; 0: there is none.
  int line_of_long_key(std::size_t most) {
    std::size_t dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '.' && ++dots >= most) return line_;
      if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
      if (c == '\n') ++line_;
      ++at_;
    }
    return 0;
  }

 private:
  bool follows(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }

  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool several_lines = follows(three);
    const std::string_view mark = several_lines ? std::string_view(three) : text_.substr(at_, 1);
    at_ += mark.size();
    while (at_ < text_.size() && !follows(mark)) {
      if (quote == '"' && text_[at_] == '\\') ++at_;
      if (at_ < text_.size() && text_[at_] == '\n') ++line_;
      ++at_;
    }
    at_ = std::min(at_ + mark.size(), text_.size());
    // A text of several lines may end in one or two quotes of its own.
    for (int k = 0; k < 2 && several_lines && follows(mark.substr(0, 1)); ++k) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

void check_study_text(const std::string& text, const std::string& path) {
  if (text.size() > kMostStudyBytes) {
    throw usage_error({path, "", fmt::format("a study of at most {} bytes", kMostStudyBytes),
                       fmt::format("{}", text.size())});
  }
  if (const int line = KeyScan(text).line_of_long_key(kMostKeyParts)) {
    throw usage_error({place(path, line), "",
                       fmt::format("keys of at most {} parts", kMostKeyParts),
                       "a key of more parts, joined by '.'"});
  }
}

}  // namespace firm
