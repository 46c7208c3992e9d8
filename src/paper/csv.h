// Tables of numbers for other programs.
#pragma once

#include <string>
#include <vector>

namespace firm::paper {

class Csv {
 public:
  explicit Csv(const std::vector<std::string>& head);

  // As many cells as the head has.
  void row(const std::vector<std::string>& cells);
  void write(const std::string& path) const;

 private:
  std::size_t columns_;
  std::string text_;
};

// All digits that are needed to read the same value back.
std::string cell(double value);

}  // namespace firm::paper
