// Guesses what the values of a data file are, from its names, units, frames and values.
#pragma once

#include <string>

#include "io/inspect/inspect.h"

namespace firm {

// A guess and its reason; the reason is empty where the file leaves no doubt.
struct SiteGuess {
  std::string kind;  // "xrf" or "xrt"
  std::string kind_why;
  // Whether neither names nor values tell XRF from XRT after the logarithm.
  bool open = false;

  // Symbol of the element of XRF; empty: unknown.
  std::string element;
  std::string element_why;

  // Logarithm of XRT.
  bool minus_log = false;
  std::string minus_log_why;
  std::string normalize;  // empty: the default
  std::string normalize_why;
};

SiteGuess guess_site(const Inspection& r);

// The guess for an open case that is XRT after all.
SiteGuess guess_xrt(const Inspection& r, const std::string& why);

}  // namespace firm
