// Internal to the files that read study.toml with toml++.
#pragma once

#include <toml++/toml.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firm/error.h"
#include "io/study/quantity.h"

namespace firm {

// Describes a value for errors: `integer 3`, `text "abc"`, `an array`, ...
std::string describe_value(const toml::node& node);

int line_of(const toml::node& node);
int line_of(const toml::key& key);

// "study.toml:12".
std::string place(const std::string& path, int line);

// A table of the study with known keys. Each function returns a value of the right type and range,
// or throws firm::Error that names the line and the key.
class StudyTable {
 public:
  // `prefix` goes before a key's name in errors: "[image] ", "site[2].". Throws on unknown keys.
  StudyTable(std::string path, std::string prefix, const toml::table& table,
             const std::vector<std::string>& known);

  int line() const { return line_of(table_); }
  bool has(const std::string& key) const { return table_.contains(key); }

  std::string text(const std::string& key) const;
  std::string nonempty_text(const std::string& key) const;
  int whole(const std::string& key, int smallest, int largest) const;
  double number(const std::string& key) const;    // finite; may be an integer
  double positive(const std::string& key) const;  // a number above 0
  double length(const std::string& key) const;    // in cm, positive
  bool is_text(const std::string& key) const;     // whether the key exists and is a text
  // A number with a unit, of any sign, converted to the unit of FIRM.
  double quantity(const std::string& key, Dimension dimension, const char* example) const;
  // An array of `count` quantities.
  std::vector<double> quantities(const std::string& key, Dimension dimension, std::size_t count,
                                 const char* example) const;
  // An array of finite numbers, at least one.
  std::vector<double> numbers(const std::string& key) const;
  // A table of positive numbers, at least one, none above `largest`.
  std::map<std::string, double> positives(const std::string& key, double largest,
                                          const char* example) const;
  // One of `choices`.
  std::string choice(const std::string& key, const std::vector<std::string>& choices) const;
  bool boolean(const std::string& key) const;

  // An error for further checks; names the line of the key, or of the table if the key is missing.
  Error error(const std::string& key, const std::string& expected, const std::string& found) const;

 private:
  const toml::node& node(const std::string& key, const std::string& expected) const;
  Error wrong(const std::string& key, const std::string& expected) const;
  // For a text that is not a quantity; suggests a unit that is misspelt.
  Error wrong_unit(const std::string& key, const std::string& expected,
                   const toml::value<std::string>& text, Dimension dimension) const;

  std::string path_;
  std::string prefix_;
  const toml::table& table_;
};

}  // namespace firm
