// What report.html is put together from.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/study/study_file.h"
#include "model/problem.h"

namespace firm {

using Json = nlohmann::ordered_json;

// One image of the run: a site's, or `other`.
struct ReportSite {
  std::string name;
  std::string run;    // directory that has its images
  std::string truth;  // file; empty: not known
  std::string alone;  // directory of a run that solved it alone; may be empty
};

// What a reader of the page should know about what is not in it.
using ReportNotes = std::vector<std::string>;

// Measurements of the sites of a run.
class Measurements {
 public:
  virtual ~Measurements() = default;
  // Nothing where there are none; `notes` then tells why.
  virtual std::optional<Geometry> geometry(const std::string& site, ReportNotes& notes) = 0;
  // rays x slices.size().
  virtual std::optional<Block> data(const std::string& site, std::span<const std::size_t> slices,
                                    ReportNotes& notes) = 0;
};

std::unique_ptr<Measurements> measurements_of(const Problem& problem);
// In the files that the study of the run names; `sha256` of the data of each of `sites`.
std::unique_ptr<Measurements> measurements_in_files(const std::vector<ReportSite>& sites,
                                                    const std::vector<std::string>& sha256);

// `curves` and `levels` of the document; sites of a federation have a history each.
void add_curves(const std::vector<std::string>& history_files, Json& document);

// Sets ||w|| of all images.
Json images_json(const std::vector<ReportSite>& sites, double pixel_size, double& norm,
                 ReportNotes& notes);
Json sinograms_json(const std::vector<ReportSite>& sites, Measurements& measurements,
                    ReportNotes& notes);

Json study_json(const StudyFile& study);

}  // namespace firm
