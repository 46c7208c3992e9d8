// A federation that only sums: real processes, gRPC, mutual TLS and masks, without study or images.
// Measures the cost of a sum alone.
#pragma once

#include <string>
#include <vector>

namespace firm {

struct BareFederation {
  std::string root;  // directory for keys and ledgers
  std::size_t sites = 4;
  std::size_t words = 0;  // length of the vector that is summed
  int rounds = 0;         // measured sums, after a few to warm up; at least 10
  bool secure = true;
};

std::vector<std::string> bare_site_names(std::size_t count);

// Creates an authority in `root`/coordinator, and a certificate for each site in `root`/NAME.
void enrol(const std::string& root, const std::vector<std::string>& sites);

// Measured at one site, per round. `least` and `median` are over means of ten rounds.
struct SiteFigures {
  double least = 0;   // seconds
  double median = 0;  // seconds
  double cpu = 0;     // seconds
  double bytes_up = 0;
  double bytes_down = 0;
};

struct CoordinatorFigures {
  double cpu = 0;          // seconds per round
  double idle_memory = 0;  // bytes, peak before sites connected
  double peak_memory = 0;  // bytes, peak of the whole run
};

struct BareFigures {
  CoordinatorFigures coordinator;
  std::vector<SiteFigures> sites;
};

// Runs a federation. This program starts itself again, as coordinator and as every site.
BareFigures run_bare(const BareFederation& federation);

// First argument of those processes. Then follow root, sites, words, rounds, secure, and for a site
// its index and the coordinator's port.
inline constexpr const char* kCoordinatorPart = "--as-coordinator";
inline constexpr const char* kSitePart = "--as-site";

// Acts as one of those processes; false if the arguments are not for one.
bool run_as_part(const std::vector<std::string>& arguments);

}  // namespace firm
