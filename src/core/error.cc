#include "firm/error.h"

#include <fmt/format.h>

namespace firm {
namespace {

std::string describe(const Mismatch& m) {
  std::string text;
  for (const std::string* part : {&m.where, &m.field}) {
    if (!part->empty()) text += *part + ": ";
  }
  return text + fmt::format("expected {}, found {}", m.expected, m.found);
}

}  // namespace

Error usage_error(const Mismatch& m) { return {Error::Kind::kUsage, describe(m)}; }

Error data_error(const Mismatch& m) { return {Error::Kind::kData, describe(m)}; }

void check_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(fmt::format("{}:{}: check failed: {}", file, line, condition));
}

}  // namespace firm
