// Whole federated runs on this machine: `firm coordinator`, and `firm site` for each site.
#pragma once

#include <string>
#include <vector>

namespace firm {

struct FirmProcesses {
  std::string root;                   // directory with the certificates (see enrol)
  std::string study;                  // directory of the study, below root
  std::string out;                    // directory for results, below root; must not exist
  std::vector<std::string> settings;  // key=value
  double delay = 0;                   // milliseconds, each way
};

struct FirmFigures {
  double seconds = 0;  // from the start of the first site to the end of the last
  double solver_seconds = 0;
  int rounds = 0;
};

FirmFigures run_firm(const FirmProcesses& processes);

// Simulates the paper's study in root/study.
void make_paper_study(const std::string& root, const std::string& study, int size, int angles,
                      double noise);
// Simulates a study with any number of sites: repeats those of a small study under new names.
void make_study_of(std::size_t sites, const std::string& root, const std::string& study);

std::vector<std::string> sites_of(const std::string& root, const std::string& study);

}  // namespace firm
