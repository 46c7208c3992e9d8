// Applies the key `sigma` of a site, its noise, to prepared values.
#pragma once

#include <optional>
#include <string>

#include "firm/study.h"
#include "io/study/study_file.h"
#include "physics/noise.h"

namespace firm {

// Standard deviation of each value; empty unless sigma = "counts". `b`: the prepared values of
// these counts; masked ones may be anything.
Block counted_deviation(const SiteEntry& entry, const Counted& counted, const Block& b);

// What earlier steps know about the noise of the values.
struct KnownNoise {
  const Block& deviation;  // of each value, from counted_deviation; no rows unless "counts"
  // Standard deviation, where neighbours share noise, so that estimate_noise() would be wrong.
  std::optional<double> seen = {};
};

// Sets Site::sigma, Site::weighted_values and SiteData::weights of values that are prepared and
// masked. Returns a warning; empty: none.
//
//   a number     s is that number, or the one estimated before (estimated_sigma)
//   "counts"     s is best_deviation, but at least a tenth of the deviation of strong values; the
//                weight of a value is (s / its deviation)^2, at most 1.
//                Warns if the noise of the values is three times smaller: they are no photons.
//   "estimate"   s is estimate_noise of the values. If they have no noise, warns and takes 0.001 of
//                the largest value, or 1 if all are 0: with s = 0 no other site would count.
std::string apply_noise(const SiteEntry& entry, const KnownNoise& known, Site& site,
                        SiteData& data);

// Whether values of the site may be masked, or weigh less than others: known before they are read.
bool may_have_weights(const StudyFile& file, const std::string& site);

// Lets the noise of sites without a sigma be estimated, if other sites have one: beside these, a
// default of 1 would make the site hardly count, or be the only one that does.
void complete_noise(StudyFile& file);
// Warns about sites whose noise complete_noise() lets be estimated; empty: none.
std::string warn_noise(const StudyFile& file);

// Guesses the noise of values, to judge their fit if the study knows nothing about noise: the
// estimate from at most eight slices, but at least a hundredth of the largest value.
double guess_noise(const SiteData& data, std::size_t beamlets);

}  // namespace firm
