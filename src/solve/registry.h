// The methods, one row each. Everything that depends on the method asks its row.
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
  // Throws firm::Error (kUsage) when the method's theory does not cover the study. The collective
  // is used for what all sites have to agree on first.
  std::unique_ptr<Method> (*make)(const MethodInput& input);
  MethodFootprint (*footprint)(const SolveOptions& options, const HostedSize& size);
  // Throws firm::Error (kUsage) when the study does not fulfil what the method's proof asks for;
  // null: any study will do.
  void (*require)(const Study& study) = nullptr;
  bool joint = true;         // solves all sites together; else each site alone
  bool sums_suffice = true;  // needs nothing of the others but sums, so that shares can be masked
  bool takes_prior = false;  // has a proximal step for a Prior
  bool refines = false;      // goes on from its images when a Refiner changes the problem
};

// In the order of the documentation, the default first.
const std::vector<MethodRow>& methods();
// Throws firm::Error (kUsage) that names the methods there are. `where` leads the message.
const MethodRow& find_method(const std::string& name, const std::string& where = "solve");

}  // namespace firm
