#include "settings.h"

#include "core/byte_size.h"
#include "firm/error.h"

namespace firm {

std::vector<std::pair<std::string, std::string>> key_value_pairs(
    const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos) {
      throw usage_error({"--set", "", "key=value, for example stop.rounds=100", "'" + text + "'"});
    }
    pairs.emplace_back(text.substr(0, at), text.substr(at + 1));
  }
  return pairs;
}

std::optional<std::uint64_t> memory_limit(const char* verb, const std::string& text) {
  if (text.empty()) return {};
  if (const auto bytes = parse_byte_size(text)) return bytes;
  throw usage_error(
      {verb, "--max-memory", "a size, for example 2GB, 1500MB or 2GiB", "'" + text + "'"});
}

}  // namespace firm
