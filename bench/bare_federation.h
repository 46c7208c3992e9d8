// A federation that does nothing but add up: real processes, gRPC, mutual TLS and masks, but no
// study and no images, so that what is measured is the cost of a sum.
#pragma once

#include <string>
#include <vector>

namespace firm {

struct BareFederation {
  std::string root;  // directory for keys and ledgers
  std::size_t sites = 4;
  std::size_t words = 0;  // of the vector that is summed
  int rounds = 0;         // that are measured, after a few to warm up; 10 or more
  bool secure = true;
};

std::vector<std::string> bare_site_names(std::size_t count);

// An authority, in `root`/coordinator, and a certificate for each site, in `root`/NAME.
void enrol(const std::string& root, const std::vector<std::string>& sites);

// What one site has seen, per round; the first two of the means of every ten rounds.
struct SiteFigures {
  double least = 0;   // seconds
  double median = 0;  // seconds
  double cpu = 0;     // seconds
  double bytes_up = 0;
  double bytes_down = 0;
};

struct CoordinatorFigures {
  double cpu = 0;          // seconds per round
  double idle_memory = 0;  // bytes: the most it has had before sites came,
  double peak_memory = 0;  // and until the end
};

struct BareFigures {
  CoordinatorFigures coordinator;
  std::vector<SiteFigures> sites;
};

// Runs one: this program starts itself again, as coordinator and as every site.
BareFigures run_bare(const BareFederation& federation);

// The arguments with which it does: which part, root, sites, words, rounds, secure; a site has its
// index and the coordinator's port besides.
inline constexpr const char* kCoordinatorPart = "--as-coordinator";
inline constexpr const char* kSitePart = "--as-site";

// What those processes do; false if the arguments are not theirs.
bool run_as_part(const std::vector<std::string>& arguments);

}  // namespace firm
