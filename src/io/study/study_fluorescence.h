// Self-absorption in study.toml: keys of a site, and energies that follow from them.
#pragma once

#include <string>

#include "io/study/study_file.h"

namespace firm {

class StudyTable;

// The compound of an xrf site, else the element of its channel; empty: unknown.
std::string substance_of(const SiteEntry& site);

// Energy of the beam and of the line that an xrf site measures, in keV.
struct FluorescenceEnergies {
  double incident = 0;
  double line = 0;
  std::string name;      // of the line: "Fe Ka"; empty: the study has only its energy
  bool assumed = false;  // the study does not name the line
};

// Reads the keys of a site.
FluorescenceKeys read_fluorescence(const StudyTable& table);

// Throws firm::Error if self-absorption is on, and a key that it needs is missing or wrong.
void check_self_absorption(const std::string& path, const StudyFile& study);

// Energies of an xrf site of a study that check_self_absorption() has accepted.
FluorescenceEnergies fluorescence_energies(const StudyFile& study, const SiteEntry& site);

}  // namespace firm
