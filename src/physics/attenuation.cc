#include "physics/attenuation.h"

#include <xraylib.h>

#include <string_view>

namespace firm {
namespace {

// Discards the error of xraylib: the caller knows where the formula comes from.
struct Failure {
  xrl_error* error = nullptr;

  Failure() = default;
  ~Failure() { xrl_clear_error(&error); }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
};

// A shell or a line: "K", "Ka1", "Lb", "Ll"; not the elements "Mg" and "Mn".
bool is_line(const std::string& text) {
  if (text.empty()) return false;
  const std::string_view letters = text[0] == 'K'   ? "ab"
                                   : text[0] == 'L' ? "abgln"
                                   : text[0] == 'M' ? "ab"
                                                    : "";
  if (letters.empty()) return false;
  if (text.size() == 1) return true;
  return letters.find(text[1]) != std::string_view::npos &&
         text.find_first_not_of("0123456789", 2) == std::string::npos;
}

}  // namespace

std::optional<double> mass_attenuation(const std::string& formula, double kev) {
  Failure failure;
  const double value = CS_Total_CP(formula.c_str(), kev, &failure.error);
  if (failure.error != nullptr || !(value > 0)) return {};
  return value;
}

std::optional<double> element_density(const std::string& symbol) {
  Failure failure;
  const int z = SymbolToAtomicNumber(symbol.c_str(), &failure.error);
  const double density = z > 0 ? ElementDensity(z, &failure.error) : 0;
  if (failure.error != nullptr || !(density > 0)) return {};
  return density;
}

const std::vector<std::string>& element_symbols() {
  static const std::vector<std::string> symbols = [] {
    std::vector<std::string> all;
    for (int z = 1;; ++z) {
      Failure failure;
      char* const symbol = AtomicNumberToSymbol(z, &failure.error);
      if (symbol == nullptr) return all;
      all.emplace_back(symbol);
      xrlFree(symbol);
    }
  }();
  return symbols;
}

std::optional<std::string> element_of_channel(const std::string& channel) {
  const std::size_t mark = channel.find('_');
  if (mark != std::string::npos && !is_line(channel.substr(mark + 1))) return {};
  const std::string symbol = channel.substr(0, mark);
  Failure failure;
  if (SymbolToAtomicNumber(symbol.c_str(), &failure.error) <= 0) return {};
  return symbol;
}

}  // namespace firm
