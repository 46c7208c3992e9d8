#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "firm/error.h"
#include "io/image_file.h"
#include "io/study_file.h"
#include "io/study_table.h"

namespace firm {
namespace {

// Pixels of an image are numbered with an int.
constexpr int kMostPixelsOfASide = 32768;
constexpr int kMostSlices = 1000000;

const std::vector<std::string> kTables = {"[study]", "[image]", "[[site]]", "[solve]"};

std::string read_text(const std::string& path) {
  const char* expected = "a study that can be read";
  // A directory opens, too; reading it is what fails then.
  if (std::filesystem::is_directory(path)) throw usage_error({path, "", expected, "a directory"});
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) {
    throw usage_error({path, "", expected, std::strerror(errno)});
  }
  return text;
}

toml::table parse(const std::string& path) {
  const std::string text = read_text(path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& e) {
    const auto& position = e.source().begin;
    std::string description(e.description());
    std::ranges::replace(description, '\n', ' ');  // the end of a line that was quoted
    throw usage_error({place(path, static_cast<int>(position.line)), "", "TOML",
                       fmt::format("at column {}: {}", position.column, description)});
  }
}

// The table [name]; nothing when there is none.
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

void check_tables(const std::string& path, const toml::table& root) {
  for (const auto& [key, value] : root) {
    const std::string name(key.str());
    const std::string shown = value.is_table()             ? fmt::format("[{}]", name)
                              : value.is_array_of_tables() ? fmt::format("[[{}]]", name)
                                                           : name;
    if (name == "study" || name == "image" || name == "site" || name == "solve") continue;
    throw usage_error({place(path, line_of(key)), shown,
                       fmt::format("one of the tables {}", fmt::join(kTables, ", ")),
                       shown + suggestion(shown, kTables)});
  }
}

void read_study_table(const std::string& path, const toml::table& root, StudyFile& study) {
  const StudyTable t(path, "[study] ", need_table(path, root, "study"),
                     {"name", "description", "truth", "other"});
  study.name = t.nonempty_text("name");
  if (t.has("description")) study.description = t.text("description");
  if (t.has("truth")) study.truth = t.nonempty_text("truth");
  if (t.has("other")) study.other = t.boolean("other");
}

void read_image_table(const std::string& path, const toml::table& root, StudyFile& study) {
  const StudyTable t(path, "[image] ", need_table(path, root, "image"),
                     {"rows", "columns", "slices", "pixel_size"});
  study.rows = t.whole("rows", 1, kMostPixelsOfASide);
  study.columns = t.whole("columns", 1, kMostPixelsOfASide);
  study.slices = t.whole("slices", 1, kMostSlices);
  study.pixel_size = t.length("pixel_size");
}

bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether the name may become part of a file name and the name of an HDF5 group. "other" is the
// name of the images of w_other.
bool usable_name(const std::string& name) {
  const auto allowed = [](char c) {
    return letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  };
  return is_site_name(name) && name[0] != '.' && name != "other" &&
         std::ranges::all_of(name, allowed);
}

void read_name(const StudyTable& t, const std::vector<SiteEntry>& before, SiteEntry& site) {
  site.name = t.text("name");
  if (!usable_name(site.name)) {
    throw t.error("name",
                  "letters, digits, '-', '_' and '.', no '.' in front, and not the name \"other\"",
                  fmt::format("\"{}\"", site.name));
  }
  const auto same = std::ranges::find(before, site.name, &SiteEntry::name);
  if (same == before.end()) return;
  throw t.error("name", "a name that no other site has",
                fmt::format("\"{}\", the name of the site in line {}", site.name, same->line));
}

void read_kind(const StudyTable& t, SiteEntry& site) {
  site.kind = t.text("kind");
  if (site.kind == "xrf") {
    site.coefficient = t.positive("coefficient");
    if (!t.has("minus_log")) return;
    throw t.error("minus_log", "no such key for kind \"xrf\"", "one; it belongs to kind \"xrt\"");
  }
  if (site.kind != "xrt") {
    throw t.error("kind", R"("xrf" or "xrt")", fmt::format("\"{}\"", site.kind));
  }
  if (t.has("minus_log")) site.minus_log = t.boolean("minus_log");
  if (!t.has("coefficient")) return;
  throw t.error("coefficient", "no such key for kind \"xrt\"", "one; it belongs to kind \"xrf\"");
}

// As `firm pki` shows it: spaces and capitals do not count.
std::string read_key(const StudyTable& t) {
  std::string digits;
  for (const char c : t.text("key")) {
    if (c != ' ') digits.push_back(static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
  }
  const auto hexadecimal = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (digits.size() == 64 && std::ranges::all_of(digits, hexadecimal)) return digits;
  throw t.error("key", "64 hexadecimal digits, as firm pki request shows them",
                fmt::format("\"{}\"", t.text("key")));
}

SiteEntry read_site(const StudyTable& t, const std::vector<SiteEntry>& before) {
  SiteEntry site;
  site.line = t.line();
  read_name(t, before, site);
  read_kind(t, site);
  site.data = t.nonempty_text("data");
  if (t.has("element")) site.element = t.nonempty_text("element");
  if (t.has("sigma")) site.sigma = t.positive("sigma");
  if (t.has("spacing")) site.spacing = t.length("spacing");
  if (t.has("rotation_axis")) site.rotation_axis = t.number("rotation_axis");
  if (t.has("key")) site.key = read_key(t);
  if (site.kind != "xrt") return site;
  const auto xrt = std::ranges::find(before, "xrt", &SiteEntry::kind);
  if (xrt == before.end()) return site;
  throw t.error("kind", "one site of kind \"xrt\"",
                fmt::format("a second one; the first is in line {}", xrt->line));
}

void read_sites(const std::string& path, const toml::table& root, StudyFile& study) {
  const char* expected = "one table [[site]] per site, in double brackets";
  const toml::node* node = root.get("site");
  if (node == nullptr) {
    throw usage_error({place(path, line_of(root)), "[[site]]", expected, "none"});
  }
  const toml::array* tables = node->as_array();
  if (tables == nullptr || !node->is_array_of_tables()) {
    throw usage_error({place(path, line_of(*node)), "[[site]]", expected, describe_value(*node)});
  }
  for (std::size_t k = 0; k < tables->size(); ++k) {
    const StudyTable table(path, fmt::format("site[{}].", k), *tables->get(k)->as_table(),
                           {"name", "kind", "data", "element", "coefficient", "sigma", "spacing",
                            "rotation_axis", "minus_log", "key"});
    study.sites.push_back(read_site(table, study.sites));
  }
  for (const char* kind : {"xrf", "xrt"}) {
    if (std::ranges::find(study.sites, kind, &SiteEntry::kind) != study.sites.end()) continue;
    throw usage_error({place(path, study.sites.front().line), "[[site]]",
                       fmt::format("a site of kind \"{}\"", kind), "none"});
  }
}

// The value of a setting; nothing for types that settings do not have.
std::optional<std::string> setting_text(const toml::node& node) {
  if (node.is_string()) return node.as_string()->get();
  if (node.is_integer()) return fmt::format("{}", node.as_integer()->get());
  if (node.is_floating_point()) return fmt::format("{}", node.as_floating_point()->get());
  if (node.is_boolean()) return fmt::format("{}", node.as_boolean()->get());
  return {};
}

// A key in quotes may hold a '.', and could then not be told from a key of a table.
bool bare(const std::string& key) {
  const auto allowed = [](char c) { return letter_or_digit(c) || c == '-' || c == '_'; };
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
    if (!text) throw refuse("text, a number, true or false", describe_value(value));
    settings.push_back({name, *text, line});
  }
}

}  // namespace

StudyFile read_study(const std::string& path) {
  const toml::table root = parse(path);
  check_tables(path, root);
  StudyFile study;
  read_study_table(path, root, study);
  read_image_table(path, root, study);
  read_sites(path, root, study);
  if (const toml::table* solve = find_table(path, root, "solve")) {
    flatten(path, "", *solve, study.settings);
    // The library sorts by key; errors about settings are better told in the order of the file.
    std::ranges::stable_sort(study.settings, {}, &Setting::line);
  }
  return study;
}

}  // namespace firm
