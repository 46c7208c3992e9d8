// Shared by the files that read study.toml with toml++; nothing else includes it.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "firm/error.h"
#include "io/study/quantity.h"

namespace firm {

// `integer 3`, `text "abc"`, `an array`, ...: what a value is, for errors.
std::string describe_value(const toml::node& node);

// ` (did you mean x?)` for the known name that is nearest to `name`; empty when none is near.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

int line_of(const toml::node& node);
int line_of(const toml::key& key);

// "study.toml:12".
std::string place(const std::string& path, int line);

// One table of the study whose keys are known. What is read is of the type that is asked for and
// within its range; everything else is a firm::Error that says where.
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
  double number(const std::string& key) const;    // finite; a whole number will do
  double positive(const std::string& key) const;  // a number above 0
  double length(const std::string& key) const;    // in cm, positive
  bool is_text(const std::string& key) const;     // whether it is there, and a text
  // With its unit, of any sign, in the unit of FIRM.
  double quantity(const std::string& key, Dimension dimension, const char* example) const;
  // An array of so many.
  std::vector<double> quantities(const std::string& key, Dimension dimension, std::size_t count,
                                 const char* example) const;
  // One of these texts.
  std::string choice(const std::string& key, const std::vector<std::string>& choices) const;
  bool boolean(const std::string& key) const;

  // For what this class does not check; the line is the key's, or the table's without the key.
  Error error(const std::string& key, const std::string& expected, const std::string& found) const;

 private:
  const toml::node& node(const std::string& key, const std::string& expected) const;
  Error wrong(const std::string& key, const std::string& expected) const;

  std::string path_;
  std::string prefix_;
  const toml::table& table_;
};

}  // namespace firm
