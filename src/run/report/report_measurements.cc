#include <algorithm>
#include <filesystem>
#include <limits>

#include "firm/error.h"
#include "prep/load_study.h"
#include "run/store/identity.h"
#include "run/report/report_parts.h"

namespace firm {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

class InProblem : public Measurements {
 public:
  explicit InProblem(const Problem& problem) : problem_(problem) {}

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
  // The problem has W^1/2 b; what is masked is shown as no number.
  static void mask(const Block& roots, std::span<const std::size_t> slices, Block& chosen) {
    for (std::size_t ray = 0; ray < roots.rows(); ++ray) {
      for (std::size_t z = 0; z < slices.size(); ++z) {
        const float root = roots(ray, slices[z]);
        chosen(ray, z) = root > 0 ? chosen(ray, z) / root : kNoNumber;
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

class InFiles : public Measurements {
 public:
  InFiles(const std::vector<ReportSite>& sites, const std::vector<std::string>& sha256)
      : sites_(sites), sha256_(sha256) {}

  std::optional<Geometry> geometry(const std::string& site, ReportNotes& notes) override {
    try {
      const Place place = find(site);
      return load_site(place.study, *place.entry, place.path).geometry;
    } catch (const Error& error) {
      notes.push_back(why(site, error.what()));
      return {};
    }
  }

  std::optional<Block> data(const std::string& site, std::span<const std::size_t> slices,
                            ReportNotes& notes) override {
    try {
      const Place place = find(site);
      return place.sha256.empty() ? some_slices(place, slices) : checked_slices(place, slices);
    } catch (const std::exception& error) {
      notes.push_back(why(site, error.what()));
      return {};
    }
  }

 private:
  struct Place {
    std::string path;
    StudyFile study;
    const SiteEntry* entry = nullptr;
    std::string sha256;
  };

  static void copy_slice(const SiteData& from, std::size_t slice, std::size_t z, Block& to) {
    for (std::size_t ray = 0; ray < to.rows(); ++ray) {
      const bool masked = from.weights.rows() > 0 && from.weights(ray, slice) == 0;
      to(ray, z) = masked ? kNoNumber : from.values(ray, slice);
    }
  }

  // One at a time: the volume may be larger than the memory.
  static Block some_slices(const Place& place, std::span<const std::size_t> slices) {
    Block chosen;
    for (std::size_t z = 0; z < slices.size(); ++z) {
      const SiteData one = prepare_site(place.study, *place.entry, place.path, {slices[z], 1}).data;
      if (z == 0) chosen = Block(one.values.rows(), slices.size());
      copy_slice(one, 0, z, chosen);
    }
    return chosen;
  }

  // All of them: the run had them in memory, too.
  static Block checked_slices(const Place& place, std::span<const std::size_t> slices) {
    const SiteData all = estimate_and_prepare(place.study, *place.entry, place.path).data;
    if (fingerprint(all) != place.sha256) {
      throw data_error({place.path, "", "the data of the run (data_sha256)", "other data"});
    }
    Block chosen(all.values.rows(), slices.size());
    for (std::size_t z = 0; z < slices.size(); ++z) copy_slice(all, slices[z], z, chosen);
    return chosen;
  }

  static std::string why(const std::string& site, const std::string& reason) {
    return "No sinogram of " + site + ": " + reason;
  }

  Place find(const std::string& site) const {
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      if (sites_[i].name != site) continue;
      Place place;
      place.path = (std::filesystem::path(sites_[i].run) / "study.toml").string();
      place.study = read_study(place.path);
      place.sha256 = i < sha256_.size() ? sha256_[i] : "";
      for (const SiteEntry& entry : place.study.sites) {
        if (entry.name == site) place.entry = &entry;
      }
      if (place.entry != nullptr) return place;
      throw data_error({place.path, "site", site, "none of this name"});
    }
    throw data_error({"report", "site", "one of the run", site});
  }

  std::vector<ReportSite> sites_;
  std::vector<std::string> sha256_;
};

}  // namespace

std::unique_ptr<Measurements> measurements_of(const Problem& problem) {
  return std::make_unique<InProblem>(problem);
}

std::unique_ptr<Measurements> measurements_in_files(const std::vector<ReportSite>& sites,
                                                    const std::vector<std::string>& sha256) {
  return std::make_unique<InFiles>(sites, sha256);
}

}  // namespace firm
