// What a study says about the noise of a site (its key `sigma`), applied to its values.
#pragma once

#include <string>

#include "io/study/study_file.h"
#include "model/study.h"
#include "physics/noise.h"

namespace firm {

// Standard deviation of each value of the site; none unless sigma = "counts". `b`: the values that
// preparation has made of these counts; masked ones may be anything.
Block counted_deviation(const SiteEntry& entry, const Counted& counted, const Block& b);

// Sets Site::sigma, Site::weighted_values and SiteData::weights; to be called when the values are
// prepared, and what cannot be used is masked. `deviation`: counted_deviation. Returns what people
// should know; empty: nothing.
//
//   a number     s is that number; so it is where it has been found before (found_sigma)
//   "counts"     s is the best deviation; a value counts (s / its deviation)^2, at most 1. Where
//                values are three times as quiet, there is a warning: these are no photons.
//   "estimate"   s is estimate_noise of the values. Where they show none, 0.001 of the largest
//                value, or 1 where all are 0, with a warning: an s of 0 would mean that no other
//                site counts.
std::string apply_noise(const SiteEntry& entry, const Block& deviation, Site& site, SiteData& data);

}  // namespace firm
