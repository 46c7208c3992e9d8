// What a study file alone tells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "federation/pki/pki_show.h"
#include "federation/protocol/terms.h"
#include "check/preflight_checks.h"
#include "solve/methods/firm.h"

namespace firm::preflight_checks {
namespace {

constexpr const char* kOtherMethod =
    "method = \"firm-ds\" in [solve] of the study, or --set method=firm-ds, the same everywhere";

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
    c.findings.wrong(Error::Kind::kUsage, "study", e.what(),
                     "mend that place; docs/formats.md lists the keys of a study");
    return {};
  }
}

bool has_site(const Context& c, const StudyFile& file) {
  const std::vector<std::string> names = names_of(file);
  if (!c.arguments.site() || std::ranges::find(names, c.arguments.name) != names.end()) return true;
  c.findings.wrong(
      Error::Kind::kUsage, "site",
      fmt::format("--name: expected one of {}, found {}", fmt::join(names, ", "), c.arguments.name),
      "the name of one of the study's sites, or the study that has this one");
  return false;
}

void use_given_file(const Context& c, StudyFile& file) {
  if (c.arguments.data.empty()) return;
  for (SiteEntry& entry : file.sites) {
    if (entry.name != c.arguments.name) continue;
    entry.data = std::filesystem::absolute(c.arguments.data).string();
  }
}

// What a federation does not allow; all sites in one process may do without.
void refuse(const Context& c, const std::string& subject, const std::string& text,
            const std::string& fix) {
  if (c.arguments.federated()) {
    c.findings.wrong(Error::Kind::kUsage, subject, text, fix);
  } else {
    c.findings.warning(subject, fmt::format("in a federation: {}", text), fix);
  }
}

// Names of files in a certificate directory, and subjects of certificates.
void check_names(const Context& c, const StudyFile& file) {
  for (const std::string& name : names_of(file)) {
    if (is_certificate_name(name)) continue;
    refuse(c, "names", fmt::format("expected {}, found '{}'", kCertificateNameRule, name),
           "another name for the site, in the study of the coordinator and all sites");
  }
}

void check_secure(const Context& c, const StudyToCheck& study) {
  const std::string subject = "masks";
  const std::size_t sites = study.file.sites.size();
  if (c.arguments.insecure) {
    c.findings.warning(subject, "--insecure: the coordinator may see what sites send",
                       "leave --insecure away unless all have agreed to it");
  } else if (study.options.method == "fedpgd") {
    refuse(c, subject,
           "expected a method that needs nothing but sums, found fedpgd, which needs every site's "
           "image by itself",
           fmt::format("{}; or --insecure at coordinator and sites", kOtherMethod));
  } else if (sites < 3 && !c.arguments.allow_two) {
    refuse(
        c, subject,
        fmt::format("expected three sites or more, found {}: of two each can compute the other's "
                    "share",
                    sites),
        "a third site; or --allow-two at coordinator and sites, if they trust each other");
  } else if (sites < 3) {
    c.findings.warning(subject, "--allow-two: each of the two sites can compute the other's share",
                       "a third site, unless the two trust each other");
  } else {
    c.findings.ok(subject, fmt::format("{} sites, method {}: the coordinator sees noise", sites,
                                       study.options.method));
  }
}

void check_chunks(const Context& c, const StudyToCheck& study) {
  if (study.options.chunks == 1) return;
  refuse(c, "chunks", fmt::format("expected chunks = 1, found {}", study.options.chunks),
         "chunks = 1 in [solve] of the study: sites solve all slices at once");
}

// What people can compare: it is what the coordinator compares.
void tell_agreement(const Context& c, const StudyToCheck& study) {
  const std::string hash = study_hash(terms_of(study.file, study.options), {});
  c.findings.ok("agreement", fmt::format("fingerprint of study and options: {}; it has to be the "
                                         "same at all others",
                                         grouped(hash.substr(0, 16), 0)));
}

}  // namespace

std::optional<StudyToCheck> check_study(const Context& c) {
  std::optional<StudyFile> file = read(c);
  if (!file) return {};
  if (!has_site(c, *file)) return {};
  use_given_file(c, *file);
  try {
    const SolveOptions options = options_of(*file, c.arguments.study, c.arguments.settings);
    return StudyToCheck{*file, options};
  } catch (const Error& e) {
    c.findings.wrong(Error::Kind::kUsage, "options", e.what(),
                     "firm recon --help lists the options and what they take");
    return {};
  }
}

void check_method(const Context& c, const StudyToCheck& study, const std::vector<Site>& known) {
  const std::string& method = study.options.method;
  if (method != "firm" && method != "firm+") {
    c.findings.ok("method", method);
    return;
  }
  Study to_judge;
  to_judge.other = study.file.other;
  for (const SiteEntry& entry : study.file.sites) {
    Site site;
    site.sigma = entry.sigma_value();
    // The rays of sites elsewhere are not known; those of one that is here stand for them.
    if (!known.empty()) site.geometry = known.front().geometry;
    for (const Site& here : known) {
      if (here.name == entry.name) site = here;
    }
    to_judge.sites.push_back(site);
  }
  try {
    check_firm_assumptions(to_judge, method);
  } catch (const Error& e) {
    c.findings.wrong(Error::Kind::kUsage, "method", e.what(), kOtherMethod);
    return;
  }
  if (known.size() == study.file.sites.size()) {
    c.findings.ok("method", fmt::format("{}: all sites have the same rays and sigma", method));
  } else {
    c.findings.ok("method",
                  fmt::format("{}: needs the same angles and beamlets at all sites, which "
                              "shows when they connect",
                              method));
  }
}

void check_federation(const Context& c, const StudyToCheck& study) {
  check_names(c, study.file);
  check_secure(c, study);
  check_chunks(c, study);
  tell_agreement(c, study);
  if (c.arguments.publish) {
    c.findings.ok("publish", "at the end this site's image goes to the coordinator");
  }
}

}  // namespace firm::preflight_checks
