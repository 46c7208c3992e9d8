// A coarse version of the data of a site, which is reconstructed alone within milliseconds: to test
// assumptions about the data before or after a run.
#pragma once

#include <cstddef>
#include <vector>

#include "firm/study.h"

namespace firm {

// Limits of a coarse version.
struct CoarseLimits {
  std::size_t beamlets = 96;
  std::size_t angles = 120;
  std::size_t slices = 3;
  int pixels = 160;  // along a side of the image
};

struct CoarseSite {
  Geometry geometry;  // coarse beamlets, some of the angles, an image of the same extent
  Block values;       // rays x slices: means of neighbouring beamlets
  Block precision;    // 1 / variance of each value; 0: masked
  double binned = 1;  // number of values in such a mean

  // Side of a square image of the same pixels in which no ray with |t| <= `reach` cm misses.
  void resize_image(double reach);
};

// `sigma`: noise of a value of weight 1. Sites with equally many slices get the same slices.
CoarseSite coarse_site(const Site& site, const SiteData& data, double sigma,
                       const CoarseLimits& limits = {});

struct CoarseFit {
  Block image;        // pixels x slices
  double misfit = 0;  // sum of p (A w - b)^2 / sum of p b^2, p the precision; 0 if b is 0
  // Root mean square of (A w - b) / sigma of the values that are not binned, if the model changes
  // little within a coarse beamlet: sqrt(1 + (chi^2 - 1) / binned).
  double fit = 0;
};

// Minimises sum of p (A w - b)^2 over w >= 0 by accelerated steps with a diagonal majorizer, from
// w = 0: not to convergence, but with the same steps for all assumptions.
CoarseFit fit_coarse(const CoarseSite& site, int steps = 40);

// Projects an image of the grid of `geometry`.
Block project(const Geometry& geometry, const Block& image);

// At most `most` of the numbers 0 .. count - 1, evenly spaced.
std::vector<std::size_t> evenly_spaced(std::size_t count, std::size_t most);

// Noise of one value, estimated from the values; at least a thousandth of the largest value.
double noise_of(const Site& site, const SiteData& data);

}  // namespace firm
