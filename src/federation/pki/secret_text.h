// SecretText: a text, such as a private key, whose memory is wiped when it is no longer used.
#pragma once

#include <string>
#include <utility>

namespace firm {

// Overwrites all memory of a string with zeros, in a way that compilers do not leave out, and
// empties it.
void wipe(std::string& text);

class SecretText {
 public:
  SecretText() = default;
  // NOLINTBEGIN(google-explicit-constructor): as convenient as a string
  SecretText(std::string text) : text_(std::move(text)) {}
  SecretText(const char* text) : text_(text) {}
  // NOLINTEND(google-explicit-constructor)
  SecretText(const SecretText&) = default;
  SecretText(SecretText&& other) noexcept : text_(std::move(other.text_)) { wipe(other.text_); }
  SecretText& operator=(const SecretText& other) {
    if (this != &other) *this = SecretText(other);
    return *this;
  }
  SecretText& operator=(SecretText&& other) noexcept {
    std::swap(text_, other.text_);
    wipe(other.text_);
    return *this;
  }
  ~SecretText() { wipe(text_); }

  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }  // NOLINT: see above

 private:
  std::string text_;
};

}  // namespace firm
