// Terms: the facts on which coordinator and sites must agree before a run, field by field.
#pragma once

#include <string>
#include <vector>

#include "firm/options.h"
#include "firm/study.h"
#include "firm/v1/federation.pb.h"
#include "io/study/study_file.h"

namespace firm {

// Lists image grid, sites with their kinds, coefficients and noise, method and options. Leaves out
// file names, threads and the preparation of data, which each site chooses for itself.
std::vector<v1::Term> terms_of(const StudyFile& file, const SolveOptions& options);

// Convert the geometry of a site to and from a message, which check_member has to accept first.
v1::Geometry to_message(const Geometry& geometry);
Geometry from_message(const v1::Geometry& message, const StudyFile& file);

v1::Noise noise_message(const Site& site);

// Completes the study with the rays and the noise of all sites. Throws firm::Error (kNetwork) when
// they are invalid or contradict the study file.
Study study_with(const StudyFile& file, const v1::Begin& begin);

// SHA-256 of terms, geometries and noise. The sites' signatures and masks are bound to it.
std::string study_hash(const std::vector<v1::Term>& terms, const v1::Begin& begin);

// Length of the longest vector of pixels that a method sums in this study. (Vectors of rays have
// the length of the XRT sinogram.)
std::uint64_t most_pixels(const StudyFile& file);

}  // namespace firm
