#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/closest_name.h"
#include "firm/error.h"
#include "io/study/study_file.h"
#include "io/study/study_fluorescence.h"
#include "io/study/study_limits.h"
#include "io/study/study_sites.h"
#include "io/study/study_table.h"
#include "physics/attenuation.h"

namespace firm {
namespace {

// The number of pixels must fit into an int.
constexpr int kMostPixelsOfASide = 32768;
constexpr int kMostSlices = 1000000;

const std::vector<std::string> kTables = {"study", "image", "site", "solve"};

std::string read_text(const std::string& path) {
  const char* expected = "a study that can be read";
  // A directory can be opened; only reading it fails.
  if (std::filesystem::is_directory(path)) throw usage_error({path, "", expected, "a directory"});
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> part{};
  // A device may have no end. check_study_text refuses what is longer.
  while (text.size() <= kMostStudyBytes && file) {
    file.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) {
    throw usage_error({path, "", expected, std::strerror(errno)});
  }
  return text;
}

toml::table parse(const std::string& text, const std::string& path) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& e) {
    const auto& position = e.source().begin;
    std::string description(e.description());
    std::ranges::replace(description, '\n', ' ');  // a quoted end of line
    if (description.find("redefine existing table 'site'") != std::string::npos) {
      description += "; write [[site]], in double brackets, for every site";
    }
    throw usage_error({place(path, static_cast<int>(position.line)), "", "TOML",
                       fmt::format("at column {}: {}", position.column, description)});
  }
}

// The table [name]; null when there is none.
const toml::table* find_table(const std::string& path, const toml::table& root,
                              const std::string& name) {
  const toml::node* node = root.get(name);
  if (node == nullptr) return nullptr;
  if (const toml::table* table = node->as_table()) return table;
  throw usage_error({place(path, line_of(*node)), fmt::format("[{}]", name),
                     fmt::format("a table [{}]", name), describe_value(*node)});
}

const toml::table& need_table(const std::string& path, const toml::table& root,
                              const std::string& name) {
  const toml::table* table = find_table(path, root, name);
  if (table != nullptr) return *table;
  throw usage_error({place(path, line_of(root)), fmt::format("[{}]", name),
                     fmt::format("a table [{}]", name), "none"});
}

// A table as it is written in a study.
std::string in_brackets(const std::string& table) {
  return table == "site" ? "[[site]]" : fmt::format("[{}]", table);
}

void check_tables(const std::string& path, const toml::table& root) {
  for (const auto& [key, value] : root) {
    const std::string name(key.str());
    const std::string shown = value.is_table()             ? fmt::format("[{}]", name)
                              : value.is_array_of_tables() ? fmt::format("[[{}]]", name)
                                                           : name;
    if (std::ranges::find(kTables, name) != kTables.end()) continue;
    const std::optional<std::string> meant = closest_name(name, kTables);
    throw usage_error(
        {place(path, line_of(key)), shown, "one of the tables [study], [image], [[site]], [solve]",
         shown + (meant ? fmt::format(" (did you mean {}?)", in_brackets(*meant)) : "")});
  }
}

void read_study_table(const std::string& path, const toml::table& root, StudyFile& study) {
  const StudyTable t(path, "[study] ", need_table(path, root, "study"),
                     {"name", "description", "truth", "other", "energy", "self_absorption",
                      "attenuation", "matrix"});
  study.name = t.nonempty_text("name");
  if (t.has("description")) study.description = t.text("description");
  if (t.has("truth")) study.truth = t.nonempty_text("truth");
  if (t.has("other")) study.other = t.boolean("other");
  if (t.has("self_absorption")) study.self_absorption = t.boolean("self_absorption");
  if (t.has("attenuation")) study.attenuation = t.choice("attenuation", {"elements", "xrt"});
  if (t.has("matrix")) study.matrix = t.nonempty_text("matrix");
  if (!t.has("energy")) return;
  study.energy = t.quantity("energy", Dimension::kEnergy, "\"12.1 keV\"");
  if (!(study.energy > 0)) throw t.error("energy", "an energy above 0", t.text("energy"));
}

void read_image_table(const std::string& path, const toml::table& root, StudyFile& study) {
  const StudyTable t(path, "[image] ", need_table(path, root, "image"),
                     {"rows", "columns", "slices", "pixel_size", "slice_spacing"});
  study.rows = t.whole("rows", 1, kMostPixelsOfASide);
  study.columns = t.whole("columns", 1, kMostPixelsOfASide);
  study.slices = t.whole("slices", 1, kMostSlices);
  study.pixel_size = t.length("pixel_size");
  if (t.has("slice_spacing")) study.slice_spacing = t.length("slice_spacing");
}

// A study needs an XRT site, and an XRF site unless there is only matter that XRF does not see.
void require_kinds(const std::string& path, const StudyFile& study) {
  const auto require = [&](const char* kind, const char* instead) {
    if (std::ranges::find(study.sites, kind, &SiteEntry::kind) != study.sites.end()) return;
    throw usage_error({place(path, study.sites.front().line), "[[site]]",
                       fmt::format("a site of kind \"{}\"{}", kind, instead), "none"});
  };
  require("xrt", "");
  if (!study.other) require("xrf", ", or other = true in [study]");
}

// Looks up a coefficient that the study does not give, at the energy of the XRT beam.
void find_coefficient(const std::string& path, double energy, std::size_t k, SiteEntry& site) {
  const auto refuse = [&](const char* expected, const std::string& found) {
    return usage_error(
        {place(path, site.line), fmt::format("site[{}].coefficient", k), expected, found});
  };
  const std::string substance = substance_of(site);
  if (substance.empty()) {
    throw refuse("a positive number in cm^2/g, or an element (or a compound) to look it up",
                 site.element.empty() ? "no such key"
                                      : fmt::format("element = \"{}\"{}", site.element,
                                                    did_you_mean(site.element, element_symbols())));
  }
  if (energy == 0) {
    throw refuse("a positive number in cm^2/g, or the energy of the XRT beam, [study] energy",
                 "neither");
  }
  const std::optional<double> found = mass_attenuation(substance, energy);
  if (!found) {
    throw refuse("an element or compound, and an energy, that the tables of xraylib have",
                 fmt::format("\"{}\" at {} keV{}", substance, energy,
                             did_you_mean(substance, element_symbols())));
  }
  site.coefficient = *found;
  site.looked_up = true;
}

// The value of a setting; none for types that a setting cannot have.
// Entries of an array of texts are joined by commas.
std::optional<std::string> setting_text(const toml::node& node) {
  if (node.is_string()) return node.as_string()->get();
  if (node.is_integer()) return fmt::format("{}", node.as_integer()->get());
  if (node.is_floating_point()) return fmt::format("{}", node.as_floating_point()->get());
  if (node.is_boolean()) return fmt::format("{}", node.as_boolean()->get());
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty() || !list->is_homogeneous<std::string>()) return {};
  std::string text;
  for (const toml::node& item : *list) text += (text.empty() ? "" : ",") + item.as_string()->get();
  return text;
}

// Rejects quoted keys: with a '.' they would look like a key of a table.
bool bare(const std::string& key) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return !key.empty() && std::ranges::all_of(key, allowed);
}

void flatten(const std::string& path, const std::string& prefix, const toml::table& table,
             std::vector<Setting>& settings) {
  for (const auto& [key, value] : table) {
    const std::string name = prefix + std::string(key.str());
    const int line = line_of(key);
    const auto refuse = [&](const char* expected, const std::string& found) {
      return usage_error({place(path, line), "[solve] " + name, expected, found});
    };
    if (!bare(std::string(key.str()))) {
      throw refuse("a key of letters, digits, '-' and '_'", fmt::format("\"{}\"", key.str()));
    }
    if (const toml::table* inner = value.as_table()) {
      if (inner->empty()) throw refuse("a value, or a table with keys", "an empty table");
      flatten(path, name + ".", *inner, settings);
      continue;
    }
    const std::optional<std::string> text = setting_text(value);
    if (!text)
      throw refuse("text, a number, true, false or an array of texts", describe_value(value));
    settings.push_back({name, *text, line});
  }
}

}  // namespace

StudyFile read_study(const std::string& path) { return parse_study(read_text(path), path); }

StudyFile parse_study(const std::string& text, const std::string& path) {
  check_study_text(text, path);
  const toml::table root = parse(text, path);
  check_tables(path, root);
  StudyFile study;
  read_study_table(path, root, study);
  read_image_table(path, root, study);
  study.sites = read_sites(path, root);
  require_kinds(path, study);
  for (std::size_t k = 0; k < study.sites.size(); ++k) {
    SiteEntry& site = study.sites[k];
    if (site.kind == "xrf" && site.coefficient == 0) find_coefficient(path, study.energy, k, site);
  }
  check_self_absorption(path, study);
  if (const toml::table* solve = find_table(path, root, "solve")) {
    flatten(path, "", *solve, study.settings);
    // The library sorts by key; restore the order of the file for errors about settings.
    std::ranges::stable_sort(study.settings, {}, &Setting::line);
  }
  return study;
}

}  // namespace firm
