// Runs a whole federation on this machine: certificates, one coordinator and one process for each
// site, over mutual TLS on the loopback interface.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace firm {

struct LocalFederation {
  std::string study;               // study.toml, with the data files beside it
  std::vector<std::string> sites;  // of the study
  std::string out;                 // gets pki/, coordinator/ and one run directory per site
  std::string truth;               // file
  std::vector<std::string> settings;
};

// The run directory of a site, below `out`.
std::string site_directory(const LocalFederation& federation, const std::string& site);

// Throws firm::Error when a process fails, with the end of its output. Calls `waiting` repeatedly
// until all processes have ended.
void run_local_federation(const LocalFederation& federation, const std::function<void()>& waiting);

}  // namespace firm
