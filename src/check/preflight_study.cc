// Checks the study file by itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "check/preflight_checks.h"
#include "federation/pki/describe.h"
#include "federation/protocol/terms.h"
#include "prep/absorption_privacy.h"
#include "run/reconstruct.h"
#include "run/refine_study.h"
#include "solve/priors/run_prior.h"
#include "solve/registry.h"

namespace firm::preflight_checks {
namespace {

constexpr const char* kChangeMethod =
    "set method = \"firm-ds\" in [solve] of the study, or --set method=firm-ds, at all sites";

std::vector<std::string> names_of(const StudyFile& file) {
  std::vector<std::string> names;
  for (const SiteEntry& entry : file.sites) names.push_back(entry.name);
  return names;
}

std::optional<StudyFile> read(const Context& c) {
  try {
    StudyFile file = read_study(c.arguments.study);
    c.findings.ok("study",
                  fmt::format("{}: \"{}\", {} x {} pixels, {} slice{}, sites {}", c.arguments.study,
                              file.name, file.rows, file.columns, file.slices,
                              file.slices == 1 ? "" : "s", fmt::join(names_of(file), ", ")));
    return file;
  } catch (const Error& e) {
    c.findings.error(Error::Kind::kUsage, "study", e.what(),
                     "correct that line; docs/formats.md lists the keys of a study");
    return {};
  }
}

bool has_site(const Context& c, const StudyFile& file) {
  const std::vector<std::string> names = names_of(file);
  if (!c.arguments.site() || std::ranges::find(names, c.arguments.name) != names.end()) return true;
  c.findings.error(
      Error::Kind::kUsage, "site",
      fmt::format("--name: expected one of {}, found {}", fmt::join(names, ", "), c.arguments.name),
      "give the name of one of the study's sites, or the study with this site");
  return false;
}

void use_given_file(const Context& c, StudyFile& file) {
  if (c.arguments.data.empty()) return;
  for (SiteEntry& entry : file.sites) {
    if (entry.name != c.arguments.name) continue;
    entry.data = std::filesystem::absolute(c.arguments.data).string();
  }
}

// Reports a violated rule of federations: an error in a federation, else a warning.
void report_federation_problem(const Context& c, const std::string& subject,
                               const std::string& text, const std::string& fix) {
  if (c.arguments.federated()) {
    c.findings.error(Error::Kind::kUsage, subject, text, fix);
  } else {
    c.findings.warning(subject, fmt::format("in a federation: {}", text), fix);
  }
}

// Site names are file names in a certificate directory, and subjects of certificates.
void check_names(const Context& c, const StudyFile& file) {
  for (const std::string& name : names_of(file)) {
    if (is_certificate_name(name)) continue;
    report_federation_problem(
        c, "names", fmt::format("expected {}, found '{}'", kCertificateNameRule, name),
        "give the site another name, in the study of the coordinator and all sites");
  }
}

void check_secure(const Context& c, const StudyToCheck& study) {
  const std::string subject = "masks";
  const std::size_t sites = study.file.sites.size();
  if (c.arguments.insecure) {
    c.findings.warning(subject, "--insecure: the coordinator may see what sites send",
                       "omit --insecure unless all sites have agreed to it");
  } else if (!find_method(study.options.method).sums_suffice) {
    report_federation_problem(
        c, subject,
        fmt::format("expected a method that needs nothing but sums, found {}, which needs every "
                    "site's image by itself",
                    study.options.method),
        fmt::format("{}; or use --insecure at coordinator and sites", kChangeMethod));
  } else if (sites < 3 && !c.arguments.allow_two) {
    report_federation_problem(
        c, subject,
        fmt::format("expected three sites or more, found {}: of two each can compute the other's "
                    "share",
                    sites),
        "add a third site, or use --allow-two at coordinator and sites if they trust each other");
  } else if (sites < 3) {
    c.findings.warning(subject, "--allow-two: each of the two sites can compute the other's share",
                       "add a third site, unless the two trust each other");
  } else {
    c.findings.ok(subject, fmt::format("{} sites, method {}: the coordinator sees noise", sites,
                                       study.options.method));
  }
}

void check_chunks(const Context& c, const StudyToCheck& study) {
  if (study.options.chunks == 1) return;
  report_federation_problem(
      c, "chunks", fmt::format("expected chunks = 1, found {}", study.options.chunks),
      "set chunks = 1 in [solve] of the study: sites solve all slices at once");
}

// Shows a fingerprint for people to compare; the coordinator compares the same terms. All of it:
// whoever makes two studies with the same beginning could give one to each half of the sites.
void report_agreement(const Context& c, const StudyToCheck& study) {
  const std::string hash = study_hash(terms_of(study.file, study.options), {});
  c.findings.ok("agreement", fmt::format("fingerprint of study and options: {}; it must be the "
                                         "same at all other sites",
                                         grouped(hash, 0)));
}

}  // namespace

std::optional<StudyToCheck> check_study(const Context& c) {
  std::optional<StudyFile> file = read(c);
  if (!file) return {};
  if (!has_site(c, *file)) return {};
  use_given_file(c, *file);
  try {
    ReconArguments run{c.arguments.study, c.arguments.out, c.arguments.start};
    run.settings = c.arguments.settings;
    const SolveOptions options = recon_options(*file, run);
    check_refinement(*file, needed_refinement(*file, options));
    check_refined_method(*file, needed_refinement(*file, options), options.method);
    return StudyToCheck{*file, options};
  } catch (const Error& e) {
    c.findings.error(Error::Kind::kUsage, "options", e.what(),
                     "firm recon --help lists the options and their values");
    return {};
  }
}

void check_method(const Context& c, const StudyToCheck& study, const std::vector<Site>& known) {
  const std::string& method = study.options.method;
  try {
    require_prior_support(find_method(method), has_prior(study.options));
    require_absorption_support(find_method(method), study.file.self_absorption, study.options);
  } catch (const Error& e) {
    c.findings.error(Error::Kind::kUsage, "method", e.what(), kChangeMethod);
    return;
  }
  const auto require = find_method(method).require;
  if (require == nullptr) {
    c.findings.ok("method", method);
    return;
  }
  Study assumed;
  assumed.other = study.file.other;
  for (const SiteEntry& entry : study.file.sites) {
    Site site;
    site.sigma = entry.sigma_value();
    // The rays of other sites are unknown here; assume those of a site that is here.
    if (!known.empty()) site.geometry = known.front().geometry;
    for (const Site& here : known) {
      if (here.name == entry.name) site = here;
    }
    assumed.sites.push_back(site);
  }
  try {
    require(assumed);
  } catch (const Error& e) {
    c.findings.error(Error::Kind::kUsage, "method", e.what(), kChangeMethod);
    return;
  }
  if (known.size() == study.file.sites.size()) {
    c.findings.ok("method", fmt::format("{}: all sites have the same rays and sigma", method));
  } else {
    c.findings.ok("method",
                  fmt::format("{}: needs the same angles and beamlets at all sites, which is "
                              "checked when they connect",
                              method));
  }
}

// Says what the sites of a federation learn by self-absorption.
void check_absorption(const Context& c, const StudyToCheck& study) {
  try {
    check_absorption_privacy(study.file, study.options);
  } catch (const Error& e) {
    report_federation_problem(c, "self-absorption", e.what(),
                              "firm recon, which has all data in one place, does not need it");
    return;
  }
  for (const std::string& line : absorption_disclosures(study.file, study.options)) {
    c.findings.ok("self-absorption", "in a federation " + line);
  }
}

void check_federation(const Context& c, const StudyToCheck& study) {
  check_names(c, study.file);
  check_secure(c, study);
  check_chunks(c, study);
  check_absorption(c, study);
  report_agreement(c, study);
  if (c.arguments.publish) {
    c.findings.ok("publish", "at the end this site's image goes to the coordinator");
  }
}

}  // namespace firm::preflight_checks
