#include "solve/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "firm/error.h"
#include "solve/method_names.h"
#include "solve/methods/fedpgd.h"
#include "solve/methods/firm.h"
#include "solve/methods/firm_ds.h"
#include "solve/methods/firm_plus.h"
#include "solve/methods/pgd.h"
#include "solve/methods/plsqr.h"

namespace firm {
namespace {

std::vector<MethodRow> make_rows() {
  using Made = std::unique_ptr<Method>;
  using In = const MethodInput&;
  std::vector<MethodRow> rows;
  rows.push_back({.name = method::kFirmDs,
                  .help = "exchanges sinograms; a few rounds, any study (recommended)",
                  .make = [](In in) -> Made { return std::make_unique<FirmDs>(in); },
                  .footprint = FirmDs::footprint,
                  .takes_prior = true,
                  .uncoupled = true,
                  .refines = true});
  rows.push_back(
      {.name = method::kFirm,
       .help = "Algorithm 1 of the paper: exchanges images; thousands of rounds",
       .make = [](In in) -> Made { return std::make_unique<Firm>(in.problem, in.options); },
       .footprint = Firm::footprint,
       .require = [](const Study& s) { check_firm_assumptions(s, method::kFirm); }});
  rows.push_back(
      {.name = method::kFirmPlus,
       .help = "the paper's augmented Lagrangian form of firm",
       .make = [](In in) -> Made { return std::make_unique<FirmPlus>(in.problem, in.options); },
       .footprint = FirmPlus::footprint,
       .require = [](const Study& s) { check_firm_assumptions(s, method::kFirmPlus); }});
  rows.push_back({.name = method::kFedPgd,
                  .help = "exact projection; every site sees the images of all others",
                  .make = [](In in) -> Made {
                    return std::make_unique<FedPgd>(in.problem, in.options, in.collective);
                  },
                  .footprint = FedPgd::footprint,
                  .sums_suffice = false});
  rows.push_back({.name = method::kPgd,
                  .help = "each site alone, by projected gradient steps",
                  .make = [](In in) -> Made { return std::make_unique<Pgd>(in); },
                  .footprint = Pgd::footprint,
                  .joint = false,
                  .takes_prior = true,
                  .uncoupled = true,
                  .refines = true});
  rows.push_back(
      {.name = method::kPlsqr,
       .help = "each site alone, by LSQR, clipped at zero",
       .make = [](In in) -> Made { return std::make_unique<Plsqr>(in.problem, in.options); },
       .footprint = Plsqr::footprint,
       .joint = false,
       .uncoupled = true});
  return rows;
}

}  // namespace

const std::vector<MethodRow>& methods() {
  static const std::vector<MethodRow> rows = make_rows();
  return rows;
}

const MethodRow& find_method(const std::string& name, const std::string& where) {
  const auto row = std::ranges::find(methods(), name, &MethodRow::name);
  if (row != methods().end()) return *row;
  throw usage_error({where, "method", fmt::format("one of {}", fmt::join(method_names(), ", ")),
                     "'" + name + "'"});
}

void require_prior_support(const MethodRow& row, bool prior) {
  if (!prior || row.takes_prior) return;
  std::vector<std::string> names;
  for (const MethodRow& other : methods()) {
    if (other.takes_prior) names.push_back(other.name);
  }
  throw usage_error({"solve", "method",
                     fmt::format("one that supports a prior ({})", fmt::join(names, ", ")),
                     row.name + "; set prior.kind = \"none\" to solve without a prior"});
}

void require_absorption_support(const MethodRow& row, bool self_absorption,
                                const SolveOptions& options) {
  if (!self_absorption || options.absorption.rounds == 0 || row.refines) return;
  std::vector<std::string> names;
  for (const MethodRow& other : methods()) {
    if (other.refines) names.push_back(other.name);
  }
  throw usage_error(
      {"solve", "method",
       fmt::format("one that corrects self-absorption ({}), because its matrices differ between "
                   "sites and change during the run",
                   fmt::join(names, ", ")),
       row.name + "; set absorption.rounds = 0 to ignore self-absorption"});
}

void require_coupling(const MethodRow& row, const Study& study) {
  const auto coupled = [](const Site& s) { return s.kind == SiteKind::kXrf && s.coefficient > 0; };
  const auto apart = [](const Site& s) { return s.kind == SiteKind::kXrf && s.coefficient == 0; };
  const auto site = std::ranges::find_if(study.sites, apart);
  if (site == study.sites.end()) return;
  if (!row.uncoupled) {
    throw usage_error(
        {"solve", "method",
         fmt::format("{} or another that can leave a site out of the coupling", default_method()),
         fmt::format("{}, and site {}, which is not coupled", row.name, site->name)});
  }
  if (!row.joint || study.other || std::ranges::any_of(study.sites, coupled)) return;
  throw usage_error({"solve", "method", "an XRF site that is coupled with XRT",
                     "none, because no scale is known; --method pgd reconstructs each site alone"});
}

const char* default_method() { return method::kFirmDs; }

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const MethodRow& row : methods()) all.push_back(row.name);
    return all;
  }();
  return names;
}

}  // namespace firm
