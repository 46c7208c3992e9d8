#include "federation/protocol/terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "federation/protocol/member_check.h"
#include "federation/secure/keystream.h"
#include "firm/error.h"
#include "io/files/sha256.h"
#include "prep/fluorescence.h"
#include "prep/study_data.h"

namespace firm {
namespace {

v1::Term term(const std::string& field, const std::string& value) {
  v1::Term t;
  t.set_field(field);
  t.set_value(value);
  return t;
}

// An estimated sigma is not a term: the other sites do not know it before the site sends it.
std::string sigma_text(const SiteEntry& site) {
  if (site.noise == Noise::kCounts) return "counts";
  if (site.noise == Noise::kEstimated) return "estimate";
  return fmt::format("{}", site.sigma_value());
}

// Coefficients of absorption follow from energies and substances, and from tables that may differ
// between versions of a library: the sites agree on the numbers.
void add_absorption_terms(const StudyFile& file, std::vector<v1::Term>& terms) {
  if (!file.self_absorption) return;
  terms.push_back(term("self-absorption by", file.attenuation));
  for (const SiteEntry& site : file.sites) {
    const std::optional<Fluorescence> f = fluorescence_of(file, site);
    if (!f) continue;
    const std::string at = "site " + site.name + ", absorption at ";
    terms.push_back(term(at + fmt::format("{} keV", f->incident_energy),
                         fmt::format("{}", fmt::join(f->incident, " "))));
    terms.push_back(term(at + fmt::format("{} keV", f->line_energy),
                         fmt::format("{}", fmt::join(f->line, " "))));
  }
}

bool is_agreed(const std::string& key) { return key != "threads" && key != "seed"; }

void require(bool holds, const std::string& site, const std::string& expected) {
  if (holds) return;
  throw Error(Error::Kind::kNetwork,
              fmt::format("geometry of {}: expected {}, found another", site, expected));
}

}  // namespace

std::vector<v1::Term> terms_of(const StudyFile& file, const SolveOptions& options) {
  std::vector<v1::Term> terms = {term("study", file.name),
                                 term("image rows", fmt::format("{}", file.rows)),
                                 term("image columns", fmt::format("{}", file.columns)),
                                 term("slices", fmt::format("{}", file.slices)),
                                 term("pixel size in cm", fmt::format("{}", file.pixel_size)),
                                 term("other", file.other ? "true" : "false")};
  if (file.slice_spacing) {
    terms.push_back(term("slice spacing in cm", fmt::format("{}", *file.slice_spacing)));
  }
  add_absorption_terms(file, terms);
  for (const SiteEntry& site : file.sites) {
    terms.push_back(term("site " + site.name + ", kind", site.kind));
    terms.push_back(
        term("site " + site.name + ", coefficient", fmt::format("{}", site.coefficient)));
    if (!site.coupled) terms.push_back(term("site " + site.name + ", coupled", "false"));
    if (!site.scan.empty()) terms.push_back(term("site " + site.name + ", scan", site.scan));
    if (site.prepare.find_scale) terms.push_back(term("site " + site.name + ", scale", "auto"));
    terms.push_back(term("site " + site.name + ", sigma", sigma_text(site)));
    terms.push_back(term("site " + site.name + ", key", site.key.empty() ? "any" : site.key));
  }
  for (const OptionText& option : describe_options(options)) {
    if (is_agreed(option.key)) terms.push_back(term("option " + option.key, option.value));
  }
  return terms;
}

v1::Geometry to_message(const Geometry& g) {
  v1::Geometry message;
  message.mutable_angles()->Assign(g.angles.begin(), g.angles.end());
  message.mutable_shifts()->Assign(g.shifts.begin(), g.shifts.end());
  message.set_beamlets(static_cast<std::uint32_t>(g.beamlets));
  message.set_spacing(g.spacing);
  message.set_rotation_axis(g.rotation_axis);
  return message;
}

Geometry from_message(const v1::Geometry& message, const StudyFile& file) {
  Geometry g;
  g.image_rows = file.rows;
  g.image_columns = file.columns;
  g.pixel_size = file.pixel_size;
  g.angles.assign(message.angles().begin(), message.angles().end());
  g.shifts.assign(message.shifts().begin(), message.shifts().end());
  g.beamlets = static_cast<int>(message.beamlets());
  g.spacing = message.spacing();
  g.rotation_axis = message.rotation_axis();
  return g;
}

v1::Noise noise_message(const Site& site) {
  v1::Noise message;
  message.set_sigma(site.sigma);
  message.set_weighted(site.weighted_values);
  return message;
}

Study study_with(const StudyFile& file, const v1::Begin& begin) {
  Study study = study_without_sites(file);
  if (static_cast<std::size_t>(begin.members_size()) != file.sites.size()) {
    throw Error(Error::Kind::kNetwork, fmt::format("coordinator: expected {} sites, found {}",
                                                   file.sites.size(), begin.members_size()));
  }
  for (const bool xrt : {false, true}) {
    for (const SiteEntry& entry : file.sites) {
      if ((entry.kind == "xrt") != xrt) continue;
      const auto member = std::find_if(begin.members().begin(), begin.members().end(),
                                       [&](const v1::Member& m) { return m.site() == entry.name; });
      require(member != begin.members().end(), entry.name, "one among those of all sites");
      check_member(file, entry.name, member->geometry(), member->noise());
      study.sites.push_back({entry.name, xrt ? SiteKind::kXrt : SiteKind::kXrf,
                             entry.coupled ? entry.coefficient : 0, member->noise().sigma(),
                             from_message(member->geometry(), file), member->noise().weighted()});
      study.sites.back().scan = entry.scan;
      study.sites.back().fluorescence = fluorescence_of(file, entry);
    }
  }
  study.validate();
  return study;
}

std::string study_hash(const std::vector<v1::Term>& terms, const v1::Begin& begin) {
  Transcript transcript("firm/v1/study");
  transcript.number(terms.size());
  for (const v1::Term& t : terms) transcript.text(t.field()).text(t.value());
  transcript.number(static_cast<std::uint64_t>(begin.members_size()));
  for (const v1::Member& m : begin.members()) {
    transcript.text(m.site());
    std::string numbers;
    for (const double angle : m.geometry().angles()) numbers += fmt::format("{} ", angle);
    transcript.text(numbers);
    numbers.clear();
    for (const double shift : m.geometry().shifts()) numbers += fmt::format("{} ", shift);
    transcript.text(numbers);
    transcript.text(fmt::format("{} {} {}", m.geometry().beamlets(), m.geometry().spacing(),
                                m.geometry().rotation_axis()));
    transcript.text(fmt::format("{} {}", m.noise().sigma(), m.noise().weighted()));
  }
  Sha256 hash;
  hash.add(transcript.bytes());
  return hash.finish();
}

std::uint64_t most_pixels(const StudyFile& file) {
  // fedpgd gathers the images of all sites and "other", the image of the unmeasured rest.
  return (file.sites.size() + 1) * static_cast<std::uint64_t>(file.rows) *
         static_cast<std::uint64_t>(file.columns) * static_cast<std::uint64_t>(file.slices);
}

}  // namespace firm
