// Each hosted site by itself, until more steps would fit noise: what pgd gives without options.
// firm-ds measures its own end by it, and sites judge their joint images by it.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "firm/block.h"
#include "model/problem.h"
#include "solve/footprint.h"

namespace firm {

struct AloneOptions {
  double strength = 0;  // stop.noise
  // Most steps; NoiseStop ends them after 3000.
  long steps = std::numeric_limits<long>::max();
  // Asked before every step; true ends the fit where it is. May be empty. An InterruptionScope also
  // ends it, by an exception.
  std::function<bool()> interrupted = {};
};

struct AloneFit {
  std::vector<double> squares;  // ||A w - b||^2 of each hosted column; 0 for `other`
  // A_N w of XRT, weighted as the data of the problem; empty if XRT is not hosted.
  Block transmission;
  double seconds = 0;        // in products with A and its transpose
  bool interrupted = false;  // by AloneOptions::interrupted
};

// `images` receives all hosted columns; null: not wanted.
AloneFit fit_alone(Problem& problem, const AloneOptions& options, Block* images);

// The arrays that it holds.
Footprint alone_footprint(const HostedSize& size);

}  // namespace firm
