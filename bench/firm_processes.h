// Whole runs of the program, `firm coordinator` and a `firm site` for each site, on this machine.
#pragma once

#include <string>
#include <vector>

namespace firm {

struct FirmProcesses {
  std::string root;   // directory with the certificates (enrol) and, in `study`, the study
  std::string study;  // directory below root
  std::string out;    // directory below root that is not there yet
  std::vector<std::string> settings;  // key=value
  double delay = 0;                   // milliseconds, each way
};

struct FirmFigures {
  double seconds = 0;  // from the start of the site processes to the end of the last
  double solver_seconds = 0;
  int rounds = 0;
};

FirmFigures run_firm(const FirmProcesses& processes);

// The paper's study, in root/study.
void make_paper_study(const std::string& root, const std::string& study, int size, int angles,
                      double noise);
// A study of so many sites: those of a small simulation, again and again under other names.
void make_study_of(std::size_t sites, const std::string& root, const std::string& study);

std::vector<std::string> sites_of(const std::string& root, const std::string& study);

}  // namespace firm
