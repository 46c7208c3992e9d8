#include "io/inspect/name_hints.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "physics/attenuation.h"

namespace firm {
namespace {

using Words = std::vector<std::string>;

constexpr std::array kTransmission = {"xrt",        "transmission", "transmissions", "trans",
                                      "absorption", "attenuation",  "stxm"};
constexpr std::array kFluorescence = {"xrf", "fluo", "fluorescence"};
// Words of data files that say nothing about the element.
constexpr std::array kNeutral = {"sino", "sinogram", "sinograms", "map",  "maps",
                                 "data", "scan",     "proj",      "tomo", "projections"};
// Symbols that are also words: elements only when they stand alone.
constexpr std::array kAlsoWords = {"in", "as", "at", "no", "he", "be", "am", "i"};
// Single letters for elements that fluorescence measures; others more likely number the samples.
constexpr std::array kSingleLetters = {"K", "S", "P", "V", "W", "U"};

constexpr std::pair<std::string_view, std::string_view> kEnglish[] = {
    {"silicon", "Si"},  {"phosphorus", "P"}, {"sulfur", "S"},      {"sulphur", "S"},
    {"chlorine", "Cl"}, {"potassium", "K"},  {"calcium", "Ca"},    {"titanium", "Ti"},
    {"vanadium", "V"},  {"chromium", "Cr"},  {"manganese", "Mn"},  {"iron", "Fe"},
    {"cobalt", "Co"},   {"nickel", "Ni"},    {"copper", "Cu"},     {"zinc", "Zn"},
    {"gallium", "Ga"},  {"arsenic", "As"},   {"selenium", "Se"},   {"bromine", "Br"},
    {"rubidium", "Rb"}, {"strontium", "Sr"}, {"zirconium", "Zr"},  {"molybdenum", "Mo"},
    {"silver", "Ag"},   {"cadmium", "Cd"},   {"tin", "Sn"},        {"iodine", "I"},
    {"barium", "Ba"},   {"cerium", "Ce"},    {"gadolinium", "Gd"}, {"tungsten", "W"},
    {"platinum", "Pt"}, {"gold", "Au"},      {"mercury", "Hg"},    {"lead", "Pb"},
    {"uranium", "U"}};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Runs of letters and digits.
Words words_of(const std::string& name) {
  Words words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <typename List>
bool in(const std::string& word, const List& list) {
  return std::ranges::find(list, word) != std::end(list);
}

bool has_word(const std::string& name, const auto& list) {
  return std::ranges::any_of(words_of(name),
                             [&](const std::string& word) { return in(lower(word), list); });
}

// Words that may name an element.
Words candidates(const std::string& name) {
  Words words = words_of(name);
  std::erase_if(words, [](const std::string& word) {
    const std::string text = lower(word);
    const bool number = text.find_first_not_of("0123456789") == std::string::npos;
    return number || in(text, kFluorescence) || in(text, kNeutral) || text == "simulated";
  });
  return words;
}

// "Fe" for "fe".
std::string as_symbol(std::string word) {
  word = lower(word);
  word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  return word;
}

// The element of a word with its line: "FeKa", "PbL".
std::optional<std::string> with_line(const std::string& word) {
  if (word.size() < 3) return {};
  return element_of_channel(word.substr(0, 2) + "_" + word.substr(2));
}

// The element that word k names, given the words around it.
std::optional<std::string> element_of_word(const Words& words, std::size_t k) {
  const std::string& word = words[k];
  for (const auto& [english, symbol] : kEnglish) {
    if (lower(word) == english) return std::string(symbol);
  }
  if (auto element = with_line(word)) return element;
  if (word.size() > 2) return {};
  const bool last = k + 1 == words.size();
  const bool line_follows =
      !last && element_of_channel(as_symbol(word) + "_" + words[k + 1]).has_value();
  const bool alone = k == 0 && (words.size() == 1 || (words.size() == 2 && line_follows));
  std::optional<std::string> element = element_of_channel(as_symbol(word));
  if (word.size() == 1 && !line_follows && !(last && in(word, kSingleLetters))) return {};
  if (alone) return element;
  if (in(lower(word), kAlsoWords) || word != as_symbol(word)) return {};
  return element;
}

}  // namespace

std::optional<std::string> element_in_name(const std::string& name) {
  const Words words = candidates(name);
  std::set<std::string> found;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::optional<std::string> element = element_of_word(words, k);
    if (!element) continue;
    found.insert(*element);
    // Skips the line, which may look like an element: the K of Fe_K.
    if (k + 1 < words.size() && element_of_channel(*element + "_" + words[k + 1])) ++k;
  }
  return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

bool names_transmission(const std::string& name) { return has_word(name, kTransmission); }

bool names_fluorescence(const std::string& name) { return has_word(name, kFluorescence); }

bool is_transmission_counter(const std::string& name) {
  constexpr std::array kCounters = {"ds_ic", "dsic", "i1", "it", "transmission", "xrt"};
  return in(lower(name), kCounters);
}

}  // namespace firm
