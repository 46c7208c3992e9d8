// Archive in memory, to copy or set the state of a method.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/archive.h"

namespace firm {

class MemoryArchive : public Archive {
 public:
  void values(const std::string& name, std::span<float> values) override {
    exchange(floats, name, values);
  }
  void values(const std::string& name, std::span<double> values) override {
    exchange(doubles, name, values);
  }

  // Switches from saving to reading back.
  void load() { loading_ = true; }

  std::map<std::string, std::vector<float>> floats;
  std::map<std::string, std::vector<double>> doubles;

 private:
  template <typename T>
  void exchange(std::map<std::string, std::vector<T>>& all, const std::string& name,
                std::span<T> values) const {
    if (!loading_) {
      // Two members of one name would overwrite each other.
      if (!all.emplace(name, std::vector<T>(values.begin(), values.end())).second) {
        throw std::logic_error("saved twice: " + name);
      }
      return;
    }
    const std::vector<T>& kept = all.at(name);
    if (kept.size() != values.size()) throw std::logic_error("other size: " + name);
    std::copy(kept.begin(), kept.end(), values.begin());
  }

  bool loading_ = false;
};

}  // namespace firm
