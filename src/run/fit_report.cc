#include "run/fit_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace firm {
namespace {

// "(1) tested, fits 1.1 on coarse data: angles are in radians ...; (2) ..."
std::string causes_text(const std::vector<Cause>& causes) {
  std::string text;
  for (std::size_t k = 0; k < causes.size(); ++k) {
    text += fmt::format("{}({}) ", k > 0 ? "; " : "", k + 1);
    if (causes[k].tested) {
      text += fmt::format("tested, fits {:.2g} on coarse data: ", causes[k].fit);
    }
    text += causes[k].text;
  }
  return text;
}

// A small part of the data is missed by far more than its noise: no mistake of the set-up, which
// would miss more.
bool is_small_part(const SiteSummary& site) {
  constexpr double kSmall = 0.02;  // of the largest value
  return site.full_scale > 0 && site.residual < kSmall * site.full_scale;
}

// Says what another site may have done, and how to find out which one.
constexpr const char* kOtherSite =
    "data or scale of another site is wrong: leave out one XRF site after another (coupled = "
    "false, and other = true in [study]), and see without which one the others are fitted; if none "
    "helps, suspect XRT";
constexpr const char* kAudit = "; firm audit shows whether a site has sent what it says";

std::string alone_text(const SiteSummary& site) {
  const char* more = *site.fit_alone() > kMissed ? "; alone it is missed, too: its sigma is too "
                                                   "small, or its own data has a fault as well"
                                                 : "";
  return fmt::format(
      ", but by {:.2g} if it is fitted alone: {:.0f} % of its squared misfit comes from the other "
      "sites{}",
      *site.fit_alone(), 100 * *site.others_share(), more);
}

std::string missed_text(const SiteSummary& site, double fit) {
  std::string text = fmt::format(
      "{}: fit {:.3g}: the data is missed by {:.2g} standard deviations of its {}noise {:.3g}",
      site.name, fit, fit, site.noise_source == NoiseSource::kGuessed ? "guessed " : "",
      site.sigma);
  if (site.contradicted()) {
    text += alone_text(site);
  } else if (is_small_part(site)) {
    text += fmt::format(
        ", though by only {:.2g} % of its largest value; pixels that are too coarse for the "
        "object, "
        "or a sigma that is too small, do that",
        100 * site.residual / site.full_scale);
  }
  return text;
}

struct Missed {
  const SiteSummary* site;
  std::vector<Cause> causes = {};

  bool tested() const { return !causes.empty() && causes.front().tested; }
};

// Sites without a tested cause are probably innocent if another has one: all share the images.
std::vector<std::string> missed_texts(const std::vector<Missed>& missed, bool converged) {
  const auto guilty = std::ranges::find_if(missed, [](const Missed& m) { return m.tested(); });
  std::vector<std::string> texts;
  for (const Missed& m : missed) {
    std::string text = missed_text(*m.site, *m.site->fit());
    // Such images are not compared with those of a site alone, unless they are nearly optimal.
    if (!converged && !m.site->residual_alone) {
      text += "; the run has ended before it converged, and more rounds may fit it";
    }
    if (!m.tested() && guilty != missed.end()) {
      text += fmt::format("; first correct {}, for which a cause was found", guilty->site->name);
    } else if (!m.causes.empty()) {
      text += "; likely causes: " + causes_text(m.causes);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

// Lists the other sites behind the causes that were tested on the data of this one.
void add_other_site(const Summary& summary, bool all_here, std::vector<Cause>& causes) {
  const auto untested =
      std::ranges::find_if(causes, [](const Cause& cause) { return !cause.tested; });
  const std::string text = all_here ? kOtherSite : std::string(kOtherSite) + kAudit;
  const auto at = causes.insert(untested, {text, false, 0});
  if (summary.prior) causes.insert(at, {"the prior is too strong: lower prior.strength", false, 0});
}

// Whether a fit below 1 means that noise is fitted: not if the noise is a guess, and not for
// counts, where rays without a signal have less noise than sigma says (prep/site_noise.h).
bool low_fit_tells(const SiteSummary& site) {
  return site.noise_source != NoiseSource::kGuessed && site.noise_source != NoiseSource::kCounts;
}

// Masses that still change show that T is not found, even where images fit the data.
std::vector<std::string> absorption_warnings(const Summary& summary) {
  constexpr double kMoves = 0.02;
  std::vector<std::string> texts;
  if (!summary.absorption || summary.absorption->attenuation != Attenuation::kElements ||
      summary.termination.reason == "interrupted") {
    return texts;
  }
  const auto rounds = static_cast<std::size_t>(summary.absorption->outer_rounds);
  for (const AbsorptionSummary::Site& site : summary.absorption->sites) {
    if (rounds == 0 || site.masses.size() <= rounds) continue;
    const double mass = site.masses[rounds];
    const double change = mass - site.masses[rounds - 1];
    if (std::abs(change) <= kMoves * mass) continue;
    const bool plain = summary.absorption->start == "plain";
    texts.push_back(fmt::format(
        "{}: its self-absorption is not found: its mass still changed by {:.2g} % in outer round "
        "{}; set absorption.rounds higher{}",
        site.name, 100 * std::abs(change) / mass, rounds,
        plain ? ", or absorption.start = \"xrt\"" : ""));
  }
  return texts;
}

}  // namespace

std::vector<std::string> fit_warnings(const Summary& summary, StudyData& data) {
  const bool all_here = summary.sites.size() == data.file().sites.size();
  std::vector<Missed> missed;
  for (const SiteSummary& site : summary.sites) {
    if (!site.missed()) continue;
    missed.push_back({&site});
    std::vector<Cause>& causes = missed.back().causes;
    // Tests of causes cannot tell a smaller misfit from noise.
    if (*site.fit() > kMissed) causes = data.causes(site.name, site.sigma, all_here);
    if (site.contradicted()) add_other_site(summary, all_here, causes);
  }
  std::vector<std::string> texts = missed_texts(missed, summary.termination.converged);
  for (const SiteSummary& site : summary.sites) {
    const double fit = site.fit().value_or(1);
    if (fit >= kOverfitted || !low_fit_tells(site)) continue;
    texts.push_back(fmt::format(
        "{}: fit {:.2g}: the data is fitted better than its noise {:.3g} allows: the images show "
        "noise (a stop rule that is too strict), sigma is too large, or the noise of neighbouring "
        "values is correlated",
        site.name, fit, site.sigma));
  }
  std::ranges::move(absorption_warnings(summary), std::back_inserter(texts));
  return texts;
}

std::string causes_below(const std::string& warning) {
  std::string text = warning;
  for (std::size_t k = 1;; ++k) {
    const std::string number = fmt::format("({}) ", k);
    const std::size_t at = text.find(" " + number);
    if (at == std::string::npos) return text;
    text.replace(at, 1, "\n  ");
  }
}

std::string fit_text(const SiteSummary& site) {
  const std::optional<double> fit = site.fit();
  if (!fit) return "-";
  const bool guessed = site.noise_source == NoiseSource::kGuessed;
  const char* word = site.missed()                               ? " missed"
                     : *fit < kOverfitted && low_fit_tells(site) ? " overfitted"
                                                                 : "";
  return fmt::format("{:.3g}{}{}", *fit, guessed ? "?" : "", word);
}

std::string fit_sentence(const Summary& summary) {
  std::vector<std::string> missed;
  double low = 0;
  double high = 0;
  bool guessed = false;
  for (const SiteSummary& site : summary.sites) {
    const std::optional<double> fit = site.fit();
    if (!fit) continue;
    low = high > 0 ? std::min(low, *fit) : *fit;
    high = std::max(high, *fit);
    guessed = guessed || site.noise_source == NoiseSource::kGuessed;
    if (site.missed()) missed.push_back(fmt::format("{} is {:.2g}", site.name, *fit));
  }
  const char* unsure =
      guessed ? " (a guess: the study does not give sigma; sigma = \"estimate\" lets FIRM find it)"
              : "";
  if (!missed.empty()) {
    return fmt::format("The data is NOT fitted: {} standard deviations off{}.",
                       fmt::join(missed, ", "), unsure);
  }
  if (!summary.fits()) return "Whether the data is fitted is not known: its noise is unknown.";
  return fmt::format("The data is fitted: {:.2g} to {:.2g} standard deviations{}.", low, high,
                     unsure);
}

std::vector<std::string> warnings_in(const std::vector<std::string>& lines) {
  constexpr std::string_view kMark = ": warning: ";
  std::vector<std::string> texts;
  for (const std::string& line : lines) {
    const std::size_t at = line.find(kMark);
    if (at == std::string::npos) continue;
    texts.push_back(line.substr(0, at) + ": " + line.substr(at + kMark.size()));
  }
  return texts;
}

}  // namespace firm
