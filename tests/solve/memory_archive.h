// An Archive that keeps what is saved in memory, to copy the state of a method or to set it.
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

  // From now on values are read back.
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
