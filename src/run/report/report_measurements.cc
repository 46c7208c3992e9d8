#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "firm/error.h"
#include "prep/study_data.h"
#include "run/report/report_sections.h"
#include "run/store/identity.h"

namespace firm {
namespace {

constexpr float kMasked = std::numeric_limits<float>::quiet_NaN();

// Measurements that are in memory after a run.
class ProblemMeasurements : public Measurements {
 public:
  explicit ProblemMeasurements(const Problem& problem) : problem_(problem) {}

  std::optional<Geometry> geometry(const std::string& site, ReportNotes&) override {
    const Variable* v = find(site);
    return v == nullptr ? std::nullopt : std::optional(v->geometry);
  }

  std::optional<Block> data(const std::string& site, std::span<const std::size_t> slices,
                            ReportNotes&) override {
    const auto variable = static_cast<std::size_t>(find(site) - problem_.variables().data());
    const Operators& operators = problem_.operators();
    Block chosen;
    for (std::size_t g = 0; g < problem_.data().size(); ++g) {
      const Block& all = problem_.data()[g];
      for (std::size_t c = 0; c < all.columns(); ++c) {
        const std::size_t column = operators.image_column(g, c);
        if (column / problem_.slices() != variable) continue;
        const auto at = std::find(slices.begin(), slices.end(), column % problem_.slices());
        if (at == slices.end()) continue;
        if (chosen.size() == 0) chosen = Block(all.rows(), slices.size());
        const auto z = static_cast<std::size_t>(at - slices.begin());
        for (std::size_t ray = 0; ray < all.rows(); ++ray) chosen(ray, z) = all(ray, c);
      }
    }
    mask(operators.roots(variable), slices, chosen);
    return chosen;
  }

 private:
  // Divides the weights out of W^1/2 b, which the problem holds; masked rays become NaN.
  static void mask(const Block& roots, std::span<const std::size_t> slices, Block& chosen) {
    for (std::size_t ray = 0; ray < roots.rows(); ++ray) {
      for (std::size_t z = 0; z < slices.size(); ++z) {
        const float root = roots(ray, slices[z]);
        chosen(ray, z) = root > 0 ? chosen(ray, z) / root : kMasked;
      }
    }
  }

  const Variable* find(const std::string& site) const {
    const auto& variables = problem_.variables();
    const auto at = std::find_if(variables.begin(), variables.end(),
                                 [&](const Variable& v) { return v.name == site; });
    return at == variables.end() ? nullptr : &*at;
  }

  const Problem& problem_;
};

// Measurements that are read from data files: of a run in progress, whose files are open, or of the
// studies that run directories name.
class FileMeasurements : public Measurements {
 public:
  explicit FileMeasurements(StudyData& open) : open_(&open) {}
  FileMeasurements(const std::vector<ReportSite>& sites, const std::vector<std::string>& sha256)
      : sites_(sites), sha256_(sha256) {}

  std::optional<Geometry> geometry(const std::string& site, ReportNotes& notes) override {
    try {
      return find(site).files->site(site).geometry;
    } catch (const Error& error) {
      notes.push_back(missing_note(site, error.what()));
      return {};
    }
  }

  std::optional<Block> data(const std::string& site, std::span<const std::size_t> slices,
                            ReportNotes& notes) override {
    try {
      const Source source = find(site);
      return source.sha256.empty() ? read_slices(*source.files, site, slices)
                                   : read_checked_slices(source, site, slices);
    } catch (const std::exception& error) {
      notes.push_back(missing_note(site, error.what()));
      return {};
    }
  }

 private:
  struct Source {
    StudyData* files;
    std::string sha256;  // expected; empty: not checked
  };

  static void copy_slice(const SiteData& from, std::size_t slice, std::size_t z, Block& to) {
    for (std::size_t ray = 0; ray < to.rows(); ++ray) {
      const bool masked = from.weights.rows() > 0 && from.weights(ray, slice) == 0;
      to(ray, z) = masked ? kMasked : from.values(ray, slice);
    }
  }

  // Reads one slice at a time, because the volume may be larger than the memory.
  static Block read_slices(StudyData& files, const std::string& site,
                           std::span<const std::size_t> slices) {
    Block chosen;
    for (std::size_t z = 0; z < slices.size(); ++z) {
      const SiteData one = files.prepare(site, {slices[z], 1}).data;
      if (z == 0) chosen = Block(one.values.rows(), slices.size());
      copy_slice(one, 0, z, chosen);
    }
    return chosen;
  }

  // Reads all slices to check their hash; the run had all of them in memory, too.
  static Block read_checked_slices(const Source& source, const std::string& site,
                                   std::span<const std::size_t> slices) {
    const SiteData all = source.files->prepare(site, all_slices(source.files->file())).data;
    if (fingerprint(all) != source.sha256) {
      throw data_error(
          {source.files->path(), "", "the data of the run (data_sha256)", "other data"});
    }
    Block chosen(all.values.rows(), slices.size());
    for (std::size_t z = 0; z < slices.size(); ++z) copy_slice(all, slices[z], z, chosen);
    return chosen;
  }

  static std::string missing_note(const std::string& site, const std::string& reason) {
    return "No sinogram of " + site + ": " + reason;
  }

  // An aligned run has prepared its data as refined.toml says.
  StudyData& files_of(const std::string& run) {
    const std::string refined = (std::filesystem::path(run) / "refined.toml").string();
    const std::string path = std::filesystem::exists(refined)
                                 ? refined
                                 : (std::filesystem::path(run) / "study.toml").string();
    const auto known = runs_.find(path);
    if (known != runs_.end()) return known->second;
    return runs_.try_emplace(path, read_study(path), path).first->second;
  }

  Source find(const std::string& site) {
    if (open_ != nullptr) return {open_, ""};
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      if (sites_[i].name != site) continue;
      return {&files_of(sites_[i].run), i < sha256_.size() ? sha256_[i] : ""};
    }
    throw data_error({"report", "site", "one of the run", site});
  }

  StudyData* open_ = nullptr;
  std::vector<ReportSite> sites_;
  std::vector<std::string> sha256_;
  std::map<std::string, StudyData> runs_;  // by path of the study
};

}  // namespace

std::unique_ptr<Measurements> measurements_of(const Problem& problem) {
  return std::make_unique<ProblemMeasurements>(problem);
}

std::unique_ptr<Measurements> measurements_of(StudyData& data) {
  return std::make_unique<FileMeasurements>(data);
}

std::unique_ptr<Measurements> measurements_in_files(const std::vector<ReportSite>& sites,
                                                    const std::vector<std::string>& sha256) {
  return std::make_unique<FileMeasurements>(sites, sha256);
}

}  // namespace firm
