// Collective: the one thing a method needs from the other sites, a sum.
//
// All processes of a run call its functions in the same order with vectors of the same length. One
// process may host several sites; it adds up its own before it calls. Not thread-safe.
//
// A process may also host only some of the slices. Vectors, and what is told by one site to the
// others (a level, a step), are then those of its slices; what a run is judged by (norms, votes) is
// added up over the slices, too, so that all processes come to the same decision.
#pragma once

#include <span>
#include <string>

namespace firm {

class Collective {
 public:
  virtual ~Collective() = default;

  // Replaces each entry by its sum over the sites.
  virtual void sum(std::span<float> vector, std::span<double> scalars) = 0;

  // The same for one site alone: what others have in `vector` afterwards is of no use.
  virtual void sum_for(const std::string& /*site*/, std::span<float> vector) { sum(vector, {}); }

  // Replaces each scalar, which all sites have for the slices that are here, by its sum over the
  // slices here and elsewhere. Nothing to add where all slices are here.
  virtual void sum_slices(std::span<double> /*scalars*/) {}
};

// All sites are in this process: nothing to add.
class LocalCollective : public Collective {
 public:
  void sum(std::span<float> /*vector*/, std::span<double> /*scalars*/) override {}
};

}  // namespace firm
