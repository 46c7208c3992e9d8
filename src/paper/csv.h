// Csv: a table in comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace firm::paper {

class Csv {
 public:
  explicit Csv(const std::vector<std::string>& head);

  // `cells` must have as many entries as the head.
  void row(const std::vector<std::string>& cells);
  void write(const std::string& path) const;

 private:
  std::size_t columns_;
  std::string text_;
};

// Formats with as many digits as needed to read the same value back.
std::string cell(double value);

}  // namespace firm::paper
