// Refinement: numbers of a scan that its study got wrong, as found from the data (docs/method.md,
// "Refinement of a scan").
//
// Sites that measured in one scan share the motion of its stage and its angles; axis, lag, gain and
// scale are numbers of a site.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firm {

// A number found from data, and its standard deviation, which covers the causes that blocks of
// angles can show.
struct Found {
  double value = 0;
  double uncertainty = 0;
};

struct RefinedScan {
  std::string name;
  std::vector<double> shifts = {};         // beamlets, one per angle; empty: not refined
  std::vector<double> uncertainties = {};  // of the shifts
  std::vector<double> vertical = {};       // slices, one per angle; empty: not refined
  double vertical_uncertainty = 0;         // root mean square over the angles
  std::optional<Found> angle_scale = {};   // factor of the angles, counted from the first

  // Root mean square of the uncertainties.
  double uncertainty() const;
};

struct RefinedSite {
  std::string name;
  std::optional<Found> axis = {};   // beamlets, edge coordinates
  std::optional<Found> lag = {};    // beamlets
  std::optional<Found> scale = {};  // g/cm^2 per count
  std::vector<double> gain = {};    // one per angle; empty: not refined, or no drift found
  bool coupled = true;  // false: the scale is not known well enough, so XRT ignores the site
};

struct Refinement {
  std::vector<RefinedScan> scans = {};
  // Sites whose numbers are known here: all of them on one machine, the own one in a federation.
  std::vector<RefinedSite> sites = {};
  int rounds = 0;
  double seconds = 0;
  std::vector<std::string> notes = {};     // for people: slices used, what was left as it was
  std::vector<std::string> warnings = {};  // what could not be found

  bool any() const { return !scans.empty() || !sites.empty(); }
};

}  // namespace firm
