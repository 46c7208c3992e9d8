// SHA-256 of data that is added piece by piece.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace firm {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> bytes);
  void add(const std::string& text) { add(std::as_bytes(std::span(text.data(), text.size()))); }

  // 64 hexadecimal digits; call it once, after the last add().
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firm
