// Registry of methods: one row each. Code that depends on the method reads its row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firm/study.h"
#include "solve/footprint.h"
#include "solve/method.h"

namespace firm {

struct MethodRow {
  std::string name;
  std::string help;  // one line
  // Makes the method. Throws firm::Error (kUsage) if its theory does not cover the study. Uses the
  // collective for numbers that all sites have to agree on first.
  std::unique_ptr<Method> (*make)(const MethodInput& input);
  MethodFootprint (*footprint)(const SolveOptions& options, const HostedSize& size);
  // Throws firm::Error (kUsage) if the study violates the assumptions of the method's proof; null:
  // any study is fine.
  void (*require)(const Study& study) = nullptr;
  bool joint = true;         // solves all sites together; else each site alone
  bool sums_suffice = true;  // needs only sums over the sites, so shares can be masked
  bool takes_prior = false;  // has a proximal step for a Prior
  bool uncoupled = false;    // can leave sites out of the coupling (coefficient 0)
  bool refines = false;      // continues from its images when a Refiner changes the problem
};

// All methods in the order of the documentation, the default first.
const std::vector<MethodRow>& methods();
// Finds a method by name. Throws firm::Error (kUsage) that lists the known methods; `where` starts
// the message.
const MethodRow& find_method(const std::string& name, const std::string& where = "solve");
// Throws firm::Error (kUsage) that lists the methods with a prior, if there is a prior and the
// method does not take one.
void require_prior_support(const MethodRow& row, bool prior);

// Throws firm::Error (kUsage) if the study has self-absorption and the method cannot correct it.
void require_absorption_support(const MethodRow& row, bool self_absorption,
                                const SolveOptions& options);

// Throws firm::Error (kUsage) if sites of the study are not coupled and the method cannot do that,
// or if nothing is left that could explain XRT.
void require_coupling(const MethodRow& row, const Study& study);

}  // namespace firm
