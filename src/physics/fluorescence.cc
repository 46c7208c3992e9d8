#include "physics/fluorescence.h"

#include <xraylib.h>

#include <algorithm>

#include "physics/attenuation.h"

namespace firm {
namespace {

struct Line {
  const char* name;
  int line;   // of xraylib; Ka, Kb, La, Lb are means over their parts
  int shell;  // that has to be ionised; of a mean the one of its strongest part
};

constexpr Line kLines[] = {
    {"Ka", KA_LINE, K_SHELL},     {"Ka1", KL3_LINE, K_SHELL},   {"Ka2", KL2_LINE, K_SHELL},
    {"Kb", KB_LINE, K_SHELL},     {"Kb1", KM3_LINE, K_SHELL},   {"La", LA_LINE, L3_SHELL},
    {"La1", L3M5_LINE, L3_SHELL}, {"La2", L3M4_LINE, L3_SHELL}, {"Lb", LB_LINE, L2_SHELL},
    {"Lb1", L2M4_LINE, L2_SHELL}, {"Lb2", L3N5_LINE, L3_SHELL}, {"Lg1", L2N4_LINE, L2_SHELL},
    {"Ll", L3M1_LINE, L3_SHELL},  {"Ma1", M5N7_LINE, M5_SHELL}, {"Mb", M4N6_LINE, M4_SHELL},
};

std::optional<FluorescenceLine> find_line(const std::string& element, const std::string& name) {
  const auto line = std::ranges::find_if(kLines, [&](const Line& l) { return name == l.name; });
  if (line == std::end(kLines)) return {};
  const int z = SymbolToAtomicNumber(element.c_str(), nullptr);
  if (z <= 0) return {};
  const double energy = LineEnergy(z, line->line, nullptr);
  const double edge = EdgeEnergy(z, line->shell, nullptr);
  if (!(energy > 0) || !(edge > 0)) return {};
  return FluorescenceLine{element + " " + name, energy, edge};
}

}  // namespace

const std::vector<std::string>& line_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Line& line : kLines) all.emplace_back(line.name);
    return all;
  }();
  return names;
}

std::optional<FluorescenceLine> fluorescence_line(const std::string& text) {
  const std::size_t mark = text.find_first_of(" _-");
  if (mark == std::string::npos) return {};
  return find_line(text.substr(0, mark), text.substr(mark + 1));
}

std::optional<FluorescenceLine> line_of_channel(const std::string& channel, double kev) {
  if (const auto named = fluorescence_line(channel)) return named;
  const std::optional<std::string> element = element_of_channel(channel);
  if (!element) return {};
  const std::size_t mark = channel.find('_');
  const std::string shell = mark == std::string::npos ? "" : channel.substr(mark + 1, 1);
  for (const char* name : {"Ka", "La", "Ma1"}) {
    if (!shell.empty() && shell[0] != name[0]) continue;
    const auto line = find_line(*element, name);
    if (line && line->edge < kev) return line;
  }
  return {};
}

}  // namespace firm
