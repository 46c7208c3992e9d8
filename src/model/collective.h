// Collective: the one thing a method needs from the other sites, a sum.
//
// All processes of a run call `sum` in the same order with vectors of the same length. One process
// may host several sites; it adds up its own before it calls. Not thread-safe.
#pragma once

#include <span>
#include <string>

namespace firm {

class Collective {
 public:
  virtual ~Collective() = default;

  // Replaces each entry by its sum over all processes.
  virtual void sum(std::span<float> vector, std::span<double> scalars) = 0;

  // The same for one site alone: what others have in `vector` afterwards is of no use.
  virtual void sum_for(const std::string& /*site*/, std::span<float> vector) { sum(vector, {}); }
};

// All sites are in this process: nothing to add.
class LocalCollective : public Collective {
 public:
  void sum(std::span<float> /*vector*/, std::span<double> /*scalars*/) override {}
};

}  // namespace firm
