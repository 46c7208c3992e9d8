#include "io/study/study_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "core/closest_name.h"

namespace firm {
namespace {

template <typename T>
std::string as_toml(const T& value) {
  std::ostringstream out;
  out << toml::toml_formatter(value, toml::format_flags::none);
  return out.str();
}

}  // namespace

std::string describe_value(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "text " + as_toml(*node.as_string());
    case toml::node_type::integer:
      return fmt::format("integer {}", node.as_integer()->get());
    case toml::node_type::floating_point:
      return fmt::format("float {}", node.as_floating_point()->get());
    case toml::node_type::boolean:
      return fmt::format("boolean {}", node.as_boolean()->get());
    case toml::node_type::date:
      return "date " + as_toml(*node.as_date());
    case toml::node_type::time:
      return "time " + as_toml(*node.as_time());
    case toml::node_type::date_time:
      return "date and time " + as_toml(*node.as_date_time());
    case toml::node_type::array:
      return "an array";
    default:
      return "a table";
  }
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

int line_of(const toml::key& key) { return static_cast<int>(key.source().begin.line); }

std::string place(const std::string& path, int line) { return fmt::format("{}:{}", path, line); }

StudyTable::StudyTable(std::string path, std::string prefix, const toml::table& table,
                       const std::vector<std::string>& known)
    : path_(std::move(path)), prefix_(std::move(prefix)), table_(table) {
  for (const auto& [key, value] : table_) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) != known.end()) continue;
    throw error(name, fmt::format("one of the keys {}", fmt::join(known, ", ")),
                name + did_you_mean(name, known));
  }
}

Error StudyTable::error(const std::string& key, const std::string& expected,
                        const std::string& found) const {
  const auto entry = table_.find(key);
  const int where = entry == table_.end() ? line() : line_of(entry->first);
  return usage_error({place(path_, where), prefix_ + key, expected, found});
}

Error StudyTable::wrong(const std::string& key, const std::string& expected) const {
  return error(key, expected, describe_value(*table_.get(key)));
}

Error StudyTable::wrong_unit(const std::string& key, const std::string& expected,
                             const toml::value<std::string>& text, Dimension dimension) const {
  const std::optional<std::string> meant = closest_quantity(dimension, text.get());
  return error(
      key, expected,
      describe_value(text) + (meant ? fmt::format(" (did you mean \"{}\"?)", *meant) : ""));
}

const toml::node& StudyTable::node(const std::string& key, const std::string& expected) const {
  const toml::node* found = table_.get(key);
  if (found == nullptr) throw error(key, expected, "no such key");
  return *found;
}

std::string StudyTable::text(const std::string& key) const {
  const auto* value = node(key, "text").as_string();
  if (value == nullptr) throw wrong(key, "text");
  return value->get();
}

std::string StudyTable::nonempty_text(const std::string& key) const {
  std::string value = text(key);
  if (value.empty()) throw error(key, "text that is not empty", "\"\"");
  return value;
}

int StudyTable::whole(const std::string& key, int smallest, int largest) const {
  const std::string expected = fmt::format("a whole number from {} to {}", smallest, largest);
  const auto* value = node(key, expected).as_integer();
  if (value == nullptr || value->get() < smallest || value->get() > largest) {
    throw wrong(key, expected);
  }
  return static_cast<int>(value->get());
}

double StudyTable::number(const std::string& key) const {
  const toml::node& value = node(key, "a number");
  if (value.is_integer()) return static_cast<double>(value.as_integer()->get());
  if (!value.is_floating_point()) throw wrong(key, "a number");
  const double number = value.as_floating_point()->get();
  if (!std::isfinite(number)) throw wrong(key, "a finite number");
  return number;
}

double StudyTable::positive(const std::string& key) const {
  if (!has(key)) throw error(key, "a positive number", "no such key");
  const double value = number(key);
  if (!(value > 0)) throw wrong(key, "a positive number");
  return value;
}

double StudyTable::length(const std::string& key) const {
  const std::string expected =
      fmt::format("text with a positive length and its unit ({}), such as {} = \"1 um\"",
                  unit_names(Dimension::kLength), key);
  const auto* text = node(key, expected).as_string();
  if (text == nullptr) throw wrong(key, expected);
  const std::optional<double> cm = parse_length(text->get());
  if (!cm) throw wrong_unit(key, expected, *text, Dimension::kLength);
  if (!(*cm > 0)) throw wrong(key, expected);
  return *cm;
}

bool StudyTable::is_text(const std::string& key) const {
  return has(key) && table_.get(key)->is_string();
}

double StudyTable::quantity(const std::string& key, Dimension dimension,
                            const char* example) const {
  const std::string expected = fmt::format("text with a number and its unit ({}), such as {} = {}",
                                           unit_names(dimension), key, example);
  const auto* text = node(key, expected).as_string();
  if (text == nullptr) throw wrong(key, expected);
  const std::optional<double> value = parse_quantity(dimension, text->get());
  if (!value) throw wrong_unit(key, expected, *text, dimension);
  return *value;
}

std::vector<double> StudyTable::quantities(const std::string& key, Dimension dimension,
                                           std::size_t count, const char* example) const {
  const std::string expected = fmt::format("{} numbers with their units ({}), such as {} = {}",
                                           count, unit_names(dimension), key, example);
  const auto* array = node(key, expected).as_array();
  if (array == nullptr) throw wrong(key, expected);
  std::vector<double> values;
  for (const toml::node& item : *array) {
    const auto* text = item.as_string();
    if (text == nullptr) throw error(key, expected, describe_value(item));
    const auto value = parse_quantity(dimension, text->get());
    if (!value) throw wrong_unit(key, expected, *text, dimension);
    values.push_back(*value);
  }
  if (values.size() == count) return values;
  throw error(key, expected, fmt::format("{}", values.size()));
}

std::vector<double> StudyTable::numbers(const std::string& key) const {
  const std::string expected = "an array of numbers, one per angle";
  const auto* array = node(key, expected).as_array();
  if (array == nullptr) throw wrong(key, expected);
  std::vector<double> values;
  for (const toml::node& item : *array) {
    const std::optional<double> value = item.value<double>();
    if (!item.is_number() || !value || !std::isfinite(*value)) {
      throw error(key, expected,
                  fmt::format("{} in place {}", describe_value(item), values.size()));
    }
    values.push_back(*value);
  }
  if (values.empty()) throw error(key, expected, "an empty array");
  return values;
}

std::map<std::string, double> StudyTable::positives(const std::string& key, double largest,
                                                    const char* example) const {
  const std::string expected =
      fmt::format("a table of numbers above 0 and at most {}, such as {}", largest, example);
  const auto* table = node(key, expected).as_table();
  if (table == nullptr) throw wrong(key, expected);
  if (table->empty()) throw error(key, expected, "an empty table");
  std::map<std::string, double> values;
  for (const auto& [name, item] : *table) {
    const std::optional<double> value = item.value<double>();
    if (!item.is_number() || !value || !(*value > 0) || *value > largest) {
      throw error(key, expected, fmt::format("{} = {}", name.str(), describe_value(item)));
    }
    values.emplace(name.str(), *value);
  }
  return values;
}

std::string StudyTable::choice(const std::string& key,
                               const std::vector<std::string>& choices) const {
  std::string value = text(key);
  if (std::ranges::find(choices, value) != choices.end()) return value;
  throw error(key, fmt::format("one of \"{}\"", fmt::join(choices, "\", \"")),
              fmt::format("\"{}\"{}", value, did_you_mean(value, choices)));
}

bool StudyTable::boolean(const std::string& key) const {
  const auto* value = node(key, "true or false").as_boolean();
  if (value == nullptr) throw wrong(key, "true or false");
  return value->get();
}

}  // namespace firm
