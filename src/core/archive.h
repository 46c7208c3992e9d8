// Archive: the state of a method, to be written to a checkpoint or read back. The same function of
// a method names its members for both, in the same order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace firm {

class Archive {
 public:
  virtual ~Archive() = default;

  virtual void values(const std::string& name, std::span<float> values) = 0;
  virtual void values(const std::string& name, std::span<double> values) = 0;

  void number(const std::string& name, double& value) { values(name, std::span(&value, 1)); }
  // Whole numbers up to 2^53, which a double holds exactly.
  void number(const std::string& name, int& value);
  void flag(const std::string& name, bool& value);
  void flags(const std::string& name, std::vector<bool>& many);
};

inline void Archive::number(const std::string& name, int& value) {
  double wide = value;
  number(name, wide);
  value = static_cast<int>(wide);
}

inline void Archive::flag(const std::string& name, bool& value) {
  double wide = value ? 1 : 0;
  number(name, wide);
  value = wide != 0;
}

inline void Archive::flags(const std::string& name, std::vector<bool>& many) {
  std::vector<double> wide(many.begin(), many.end());
  values(name, std::span<double>(wide));
  for (std::size_t k = 0; k < wide.size(); ++k) many[k] = wide[k] != 0;
}

}  // namespace firm
