// Terms: what coordinator and sites must agree on before a run, field by field.
#pragma once

#include <string>
#include <vector>

#include "firm/v1/federation.pb.h"
#include "io/study/study_file.h"
#include "model/study.h"
#include "solve/options.h"

namespace firm {

// Image grid, sites with their kinds, coefficients and noise, method and options. Not: names of
// files, threads, and how data is prepared, which is each site's own business.
std::vector<v1::Term> terms_of(const StudyFile& file, const SolveOptions& options);

// Rays of a site, there and back.
v1::Geometry to_message(const Geometry& geometry);
// Throws firm::Error (kNetwork) when there is no such geometry.
Geometry from_message(const v1::Geometry& message, const StudyFile& file, const std::string& site);

v1::Noise noise_message(const Site& site);

// The study whose sites have these rays and this noise. Throws firm::Error (kNetwork) when sites or
// numbers are not such, or differ from what the study says.
Study study_with(const StudyFile& file, const v1::Begin& begin);

// SHA-256 of terms, geometries and noise: what the sites' signatures and masks are bound to.
std::string study_hash(const std::vector<v1::Term>& terms, const v1::Begin& begin);

// The longest vector of pixels that a method sums in such a study. Vectors of rays are those of
// XRT.
std::uint64_t most_pixels(const StudyFile& file);

}  // namespace firm
