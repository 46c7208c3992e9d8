// Self-absorption in report.html: T at some angles, and the matrices of residuals.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>

#include "firm/error.h"
#include "io/files/image_file.h"
#include "prep/fluorescence.h"
#include "report/page/packed_json.h"
#include "report/page/packed_values.h"
#include "run/report/report_sections.h"
#include "run/report/run_report.h"
#include "run/store/run_output.h"

namespace firm {
namespace {

constexpr std::size_t kAngles = 8;              // with a picture of T
constexpr std::size_t kPictureBytes = 1 << 21;  // of all sites
// T of one slice is used for one product, so it need not be held for all angles.
constexpr std::size_t kMostBytes = 16 << 20;

Block read_slice(const std::string& file, const std::string& name, std::size_t slice) {
  const ImageSlices images(file, name);
  Block block(images.rows() * images.columns(), 1);
  std::ranges::copy(images.read(slice), block.data());
  return block;
}

// Evenly spaced over the angles in file order.
std::vector<std::size_t> chosen_angles(std::size_t all) {
  const std::size_t count = std::min(all, kAngles);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < count; ++k) chosen.push_back(k * all / count);
  return chosen;
}

// Keeps all angles, at a lower resolution if need be.
Packing picture_packing(std::size_t pixels) {
  Packing packing{.bits = 16, .reduction = 1, .slices = {}};
  for (std::size_t k = 0; k < kAngles; ++k) packing.slices.push_back(k);
  while (2 * kAngles * pixels / (packing.reduction * packing.reduction) > kPictureBytes) {
    ++packing.reduction;
  }
  return packing;
}

Json pictures_json(const std::string& site, const Transmittance& transmittance, std::size_t slice,
                   const Packing& packing) {
  const Geometry& geometry = transmittance.geometry();
  PackedValues packed(packing, static_cast<std::size_t>(geometry.image_rows),
                      static_cast<std::size_t>(geometry.image_columns));
  const std::vector<std::size_t> angles = chosen_angles(geometry.angles.size());
  Json numbers = Json::array();
  Json theta = Json::array();
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const Block image = transmittance.image(angles[k]);
    packed.add(k, image.values());
    numbers.push_back(angles[k]);
    const double degrees = geometry.angles[angles[k]] * 180 / std::numbers::pi;
    theta.push_back(std::round(degrees * 1e4) / 1e4);
  }
  Json j = {{"site", site}, {"view", "transmittance"}, {"slice", slice}};
  j.update(packed_json(packed));
  j["angles"] = std::move(numbers);
  j["theta"] = std::move(theta);
  return j;
}

}  // namespace

ReportAbsorption::ReportAbsorption(const StudyFile& study, const Json& summary,
                                   const std::vector<ReportSite>& sites) {
  if (!summary.contains("absorption")) return;
  grid_ = summary.at("options").value("absorption.grid", 0);
  for (const ReportSite& site : sites) {
    const auto entry = std::ranges::find(study.sites, site.name, &SiteEntry::name);
    if (entry == study.sites.end()) continue;
    if (const auto fluorescence = fluorescence_of(study, *entry)) {
      sites_[site.name] = {(std::filesystem::path(site.run) / "images.h5").string(),
                           fluorescence->path};
    }
  }
}

std::unique_ptr<Transmittance> ReportAbsorption::transmittance(const std::string& site,
                                                               const Geometry& geometry,
                                                               std::size_t slice) const {
  const Member& member = sites_.at(site);
  auto transmittance = std::make_unique<Transmittance>(
      geometry, member.path, TransmittanceOptions{.grid = grid_, .max_bytes = kMostBytes});
  transmittance->update(read_slice(member.file, attenuation_name(site, "incident"), slice),
                        read_slice(member.file, attenuation_name(site, "line"), slice));
  return transmittance;
}

std::uint64_t memory_for_report(const Geometry& geometry, int absorption_grid) {
  return Transmittance::estimate_bytes(geometry, 1, absorption_grid, kMostBytes) +
         4 * (4 * kPictureBytes / 3);  // copies in base64, as for images
}

Json transmittance_json(const std::vector<ReportSite>& sites, const ReportAbsorption& absorption,
                        std::size_t slices, Measurements& measurements, ReportNotes& notes) {
  std::map<std::string, Geometry> geometries;
  std::size_t pixels = 0;
  for (const ReportSite& site : sites) {
    if (!absorption.absorbs(site.name)) continue;
    if (const auto geometry = measurements.geometry(site.name, notes)) {
      geometries[site.name] = *geometry;
      pixels += geometry->pixels();
    }
  }
  if (geometries.empty()) return nullptr;
  const Packing packing = picture_packing(pixels);
  const std::size_t slice = slices / 2;
  Json stacks = Json::array();
  for (const ReportSite& site : sites) {
    const auto geometry = geometries.find(site.name);
    if (geometry == geometries.end()) continue;
    stacks.push_back(pictures_json(
        site.name, *absorption.transmittance(site.name, geometry->second, slice), slice, packing));
  }
  return {{"slice", slice},
          {"all_slices", slices},
          {"reduction", packing.reduction},
          {"stacks", std::move(stacks)}};
}

}  // namespace firm
