// Functions that make the sections of the document in report.html: study, images, sinograms,
// transmittance, curves.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/study/study_file.h"
#include "model/problem.h"
#include "prep/study_data.h"
#include "tomo/attenuated/attenuated.h"

namespace firm {

using Json = nlohmann::ordered_json;

// One image of the run: that of a site, or `other`.
struct ReportSite {
  std::string name;
  std::string run;    // run directory with its images
  std::string truth;  // file; empty: unknown
  std::string alone;  // directory of a run that solved the site alone; empty: none
};

// Notes to the reader about parts that the page could not show.
using ReportNotes = std::vector<std::string>;

// Measurements of the sites of a run.
class Measurements {
 public:
  virtual ~Measurements() = default;
  // Both return nothing, and add a note with the reason, if the measurements are missing.
  virtual std::optional<Geometry> geometry(const std::string& site, ReportNotes& notes) = 0;
  // The block has one row per ray and one column per slice.
  virtual std::optional<Block> data(const std::string& site, std::span<const std::size_t> slices,
                                    ReportNotes& notes) = 0;
};

std::unique_ptr<Measurements> measurements_of(const Problem& problem);
// Reads from data files that the run has open.
std::unique_ptr<Measurements> measurements_of(StudyData& data);
// Reads the files that the study of the run names. `sha256` holds the expected hash of the data of
// each site; empty: not checked.
std::unique_ptr<Measurements> measurements_in_files(const std::vector<ReportSite>& sites,
                                                    const std::vector<std::string>& sha256);

// Adds `curves` and `levels` to the document; each site of a federation has its own history file.
void add_curves(const std::vector<std::string>& history_files, Json& document);

// Self-absorption of the sites of a run, from the attenuation in images.h5.
class ReportAbsorption {
 public:
  // No site absorbs unless `summary` has the key `absorption`.
  ReportAbsorption(const StudyFile& study, const Json& summary,
                   const std::vector<ReportSite>& sites);

  // Whether the matrix of the site is A diag(T).
  bool absorbs(const std::string& site) const { return sites_.contains(site); }
  // T of one slice, for all angles.
  std::unique_ptr<Transmittance> transmittance(const std::string& site, const Geometry& geometry,
                                               std::size_t slice) const;

 private:
  struct Member {
    std::string file;  // with the attenuation
    FluorescencePath path;
  };
  int grid_ = 1;
  std::map<std::string, Member> sites_;
};

// `transmittance` of the document: T of the middle slice at some angles; null without
// self-absorption.
Json transmittance_json(const std::vector<ReportSite>& sites, const ReportAbsorption& absorption,
                        std::size_t slices, Measurements& measurements, ReportNotes& notes);

// `images` of the document; sets `norm` to ||w|| over all reconstructed images.
Json images_json(const std::vector<ReportSite>& sites, double pixel_size, double& norm,
                 ReportNotes& notes);
// `sinograms` of the document.
Json sinograms_json(const std::vector<ReportSite>& sites, const ReportAbsorption& absorption,
                    Measurements& measurements, ReportNotes& notes);

// `study` of the document.
Json study_json(const StudyFile& study);

}  // namespace firm
