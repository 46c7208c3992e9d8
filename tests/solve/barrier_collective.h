// A Collective for tests: processes are threads, and a sum is formed between two barriers.
#pragma once

#include <barrier>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "model/collective.h"

namespace firm {

// State shared by the processes of a run.
class Rendezvous {
 public:
  explicit Rendezvous(std::size_t processes)
      : vectors_(processes),
        scalars_(processes),
        barrier_(static_cast<std::ptrdiff_t>(processes)) {}

  void sum(std::size_t rank, std::span<float> vector, std::span<double> scalars) {
    vectors_[rank] = vector;
    scalars_[rank] = scalars;
    barrier_.arrive_and_wait();
    const std::vector<float> total = added(vectors_, vector.size());
    const std::vector<double> scalar_total = added(scalars_, scalars.size());
    barrier_.arrive_and_wait();  // nobody reads any more
    std::copy(total.begin(), total.end(), vector.begin());
    std::copy(scalar_total.begin(), scalar_total.end(), scalars.begin());
  }

 private:
  // Adds in the order of the processes, so that all get the same bits.
  template <typename T>
  static std::vector<T> added(const std::vector<std::span<T>>& parts, std::size_t size) {
    std::vector<T> total(size, T{});
    for (const std::span<T>& part : parts) {
      // All processes see it and leave together.
      if (part.size() != parts.front().size()) throw std::logic_error("unequal lengths");
      for (std::size_t k = 0; k < size; ++k) total[k] += part[k];
    }
    return total;
  }

  std::vector<std::span<float>> vectors_;
  std::vector<std::span<double>> scalars_;
  std::barrier<> barrier_;
};

class BarrierCollective : public Collective {
 public:
  BarrierCollective(Rendezvous& rendezvous, std::size_t rank)
      : rendezvous_(rendezvous), rank_(rank) {}

  void sum(std::span<float> vector, std::span<double> scalars) override {
    rendezvous_.sum(rank_, vector, scalars);
  }

 private:
  Rendezvous& rendezvous_;
  std::size_t rank_;
};

}  // namespace firm
