// Collective: the one thing a method needs from the other sites, a sum.
//
// All processes of a run call its functions in the same order with vectors of the same length. One
// process may host several sites; it adds up its own before it calls. Not thread-safe.
//
// A process may also host only some of the slices. Vectors, and numbers that one site sends to the
// others (a level, a step), then belong to its slices. Numbers that decide about the run (norms,
// votes) are also summed over the slices, so that all processes come to the same decision.
#pragma once

#include <span>
#include <string>

namespace firm {

class Collective {
 public:
  virtual ~Collective() = default;

  // Replaces each entry by its sum over the sites.
  virtual void sum(std::span<float> vector, std::span<double> scalars) = 0;

  // Like sum(), but only `site` needs the result: `vector` is unspecified at the others.
  virtual void sum_for(const std::string& /*site*/, std::span<float> vector) { sum(vector, {}); }

  // Names the sums that follow, for the ledger of a site: "absorption". Empty: sums of the method.
  virtual void name_sums(const std::string& /*kind*/) {}

  // Replaces each scalar, which is equal at all sites that host the same slices, by its sum over
  // all slices. The default is for processes that host all slices: it adds nothing.
  virtual void sum_slices(std::span<double> /*scalars*/) {}
};

// Names the sums of a scope.
class NamedSums {
 public:
  NamedSums(Collective& collective, const std::string& kind) : collective_(collective) {
    collective_.name_sums(kind);
  }
  ~NamedSums() { collective_.name_sums(""); }
  NamedSums(const NamedSums&) = delete;
  NamedSums& operator=(const NamedSums&) = delete;

 private:
  Collective& collective_;
};

// Collective of a process that hosts all sites: adds nothing.
class LocalCollective : public Collective {
 public:
  void sum(std::span<float> /*vector*/, std::span<double> /*scalars*/) override {}
};

}  // namespace firm
