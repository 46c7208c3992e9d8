#include "federation/sums/sum_chain.h"

#include <fmt/format.h>

#include <array>

#include "io/files/sha256.h"

namespace firm {

void SumChain::add(const std::string& hash) {
  Sha256 both;
  both.add(text_);
  both.add(hash);
  text_ = both.finish();
}

void SumChain::archive(Archive& archive) {
  std::array<double, kDigits / 2> bytes{};
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    bytes[k] = std::stoi(text_.substr(2 * k, 2), nullptr, 16);
  }
  archive.values("federation/totals", std::span<double>(bytes));
  text_.clear();
  for (const double byte : bytes) text_ += fmt::format("{:02x}", static_cast<unsigned char>(byte));
}

}  // namespace firm
