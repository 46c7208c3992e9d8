// Lines of a ledger: JSON, with a hash that ties each line to all lines before it.
//
//     chain_0 = 64 zeros,   chain_k = SHA-256(chain_{k-1}, line k without its chain)
//
// The hash is the last member of a line, ,"chain":"..."} and the line without it ends with }. So a
// line that was changed, removed or inserted later shows.
#pragma once

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

}  // namespace firm
