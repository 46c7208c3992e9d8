#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "firm/error.h"
#include "firm/projector.h"
#include "io/files/image_file.h"
#include "report/page/packed_json.h"
#include "report/page/packed_values.h"
#include "run/report/report_sections.h"

namespace firm {
namespace {

// Together about 19 MB in base64.
constexpr std::size_t kImageBytes = 10'000'000;
constexpr std::size_t kSinogramBytes = 4'000'000;

constexpr double kDegrees = 180 / 3.14159265358979323846;

std::string images_of(const std::string& run) {
  return (std::filesystem::path(run) / "images.h5").string();
}

// File of one stack of images.
struct Source {
  std::string site;
  std::string view;
  std::unique_ptr<ImageSlices> images;
};

// Opens images to compare with. Returns null, and adds a note, if they are missing or have another
// size than `reference`.
std::unique_ptr<ImageSlices> open_comparison(const std::string& file, const std::string& site,
                                             const ImageSlices& reference, ReportNotes& notes) {
  try {
    auto images = std::make_unique<ImageSlices>(file, site);
    if (images->slices() == reference.slices() && images->rows() == reference.rows() &&
        images->columns() == reference.columns()) {
      return images;
    }
    notes.push_back(file + ": images of " + site + " have another size and are not shown");
  } catch (const Error& error) {
    notes.emplace_back(error.what());
  }
  return nullptr;
}

std::vector<Source> sources_of(const std::vector<ReportSite>& sites, ReportNotes& notes) {
  std::vector<Source> sources;
  for (const ReportSite& site : sites) {
    auto images = std::make_unique<ImageSlices>(images_of(site.run), site.name);
    const ImageSlices& reference = *images;
    sources.push_back({site.name, "reconstruction", std::move(images)});
    if (!site.truth.empty()) {
      if (auto truth = open_comparison(site.truth, site.name, reference, notes)) {
        sources.push_back({site.name, "truth", std::move(truth)});
      }
    }
    if (!site.alone.empty()) {
      if (auto alone = open_comparison(images_of(site.alone), site.name, reference, notes)) {
        sources.push_back({site.name, "alone", std::move(alone)});
      }
    }
  }
  return sources;
}

Block slices_of_images(const ReportSite& site, std::span<const std::size_t> slices) {
  const ImageSlices images(images_of(site.run), site.name);
  Block block(images.rows() * images.columns(), slices.size());
  for (std::size_t z = 0; z < slices.size(); ++z) {
    const std::vector<float> values = images.read(slices[z]);
    for (std::size_t p = 0; p < values.size(); ++p) block(p, z) = values[p];
  }
  return block;
}

// A w.
Block product_of(const Geometry& geometry, const Block& w) {
  ProjectorOptions options;
  options.columns = static_cast<int>(w.columns());
  Block y(geometry.rays(), w.columns());
  make_projector(geometry, options)->forward(w, y);
  return y;
}

// A diag(T) w, one slice after another.
Block absorbed_product(const std::string& site, const ReportAbsorption& absorption,
                       const Geometry& geometry, const Block& w,
                       std::span<const std::size_t> slices) {
  Block all(geometry.rays(), w.columns());
  Block image(w.rows(), 1);
  Block rays(geometry.rays(), 1);
  for (std::size_t z = 0; z < slices.size(); ++z) {
    for (std::size_t p = 0; p < w.rows(); ++p) image(p, 0) = w(p, z);
    const auto transmittance = absorption.transmittance(site, geometry, slices[z]);
    make_attenuated_projector(*transmittance)->forward(image, rays);
    for (std::size_t ray = 0; ray < all.rows(); ++ray) all(ray, z) = rays(ray, 0);
  }
  return all;
}

struct SinogramStack {
  std::string site;
  std::string view;
  const Geometry* geometry;
};

Json sinogram_json(const SinogramStack& stack, const Block& values, const Packing& packing) {
  const auto beamlets = static_cast<std::size_t>(stack.geometry->beamlets);
  PackedValues packed(packing, stack.geometry->angles.size(), beamlets);
  std::vector<float> column(values.rows());
  for (std::size_t z = 0; z < packing.slices.size(); ++z) {
    for (std::size_t ray = 0; ray < column.size(); ++ray) column[ray] = values(ray, z);
    packed.add(packing.slices[z], column);
  }
  Json j = {{"site", stack.site}, {"view", stack.view}};
  j.update(packed_json(packed));
  Json theta = Json::array();
  for (const double angle : stack.geometry->angles) {
    theta.push_back(std::round(angle * kDegrees * 1e4) / 1e4);
  }
  j["theta"] = std::move(theta);
  return j;
}

struct MeasuredSite {
  const ReportSite* site;
  Geometry geometry;
};

std::vector<MeasuredSite> measured_sites(const std::vector<ReportSite>& sites,
                                         Measurements& measurements, ReportNotes& notes) {
  std::vector<MeasuredSite> measured;
  for (const ReportSite& site : sites) {
    if (site.name == "other") continue;
    if (auto geometry = measurements.geometry(site.name, notes)) {
      measured.push_back({&site, *std::move(geometry)});
    }
  }
  return measured;
}

}  // namespace

std::uint64_t memory_for_report(std::uint64_t image_values, std::uint64_t sinogram_values) {
  const std::uint64_t bytes =
      std::min<std::uint64_t>(kImageBytes, sizeof(float) * image_values) +
      std::min<std::uint64_t>(kSinogramBytes, sizeof(float) * sinogram_values);
  // Base64 is a third longer. There are up to four copies: in the JSON document, in its text, which
  // grows by doubling, and in the page.
  return 4 * (4 * bytes / 3);
}

Json images_json(const std::vector<ReportSite>& sites, double pixel_size, double& norm,
                 ReportNotes& notes) {
  const std::vector<Source> sources = sources_of(sites, notes);
  norm = 0;
  if (sources.empty()) return nullptr;
  const ImageSlices& first = *sources.front().images;
  const Packing packing =
      choose_packing(first.rows() * first.columns() * sources.size(), first.slices(), kImageBytes);
  Json stacks = Json::array();
  for (const Source& source : sources) {
    PackedValues packed(packing, source.images->rows(), source.images->columns());
    for (std::size_t z = 0; z < source.images->slices(); ++z) {
      packed.add(z, source.images->read(z));
    }
    if (source.view == "reconstruction") norm += packed.squares();
    Json j = {{"site", source.site},
              {"view", source.view},
              {"signal", source.images->signal()},
              {"units", source.images->units()}};
    j.update(packed_json(packed));
    stacks.push_back(std::move(j));
  }
  norm = std::sqrt(norm);
  return {{"pixel_size", pixel_size},
          {"all_slices", first.slices()},
          {"slices", packing.slices},
          {"reduction", packing.reduction},
          {"stacks", std::move(stacks)}};
}

Json sinograms_json(const std::vector<ReportSite>& sites, const ReportAbsorption& absorption,
                    Measurements& measurements, ReportNotes& notes) {
  const std::vector<MeasuredSite> measured = measured_sites(sites, measurements, notes);
  std::size_t values = 0;
  for (const MeasuredSite& m : measured) values += 2 * m.geometry.rays();
  if (values == 0) return nullptr;
  const std::size_t slices =
      ImageSlices(images_of(measured.front().site->run), measured.front().site->name).slices();
  const Packing packing = choose_packing(values, slices, kSinogramBytes);
  Json stacks = Json::array();
  for (const MeasuredSite& m : measured) {
    const auto b = measurements.data(m.site->name, packing.slices, notes);
    if (!b) continue;
    const Block w = slices_of_images(*m.site, packing.slices);
    Block residual = absorption.absorbs(m.site->name)
                         ? absorbed_product(m.site->name, absorption, m.geometry, w, packing.slices)
                         : product_of(m.geometry, w);
    for (std::size_t k = 0; k < residual.size(); ++k) residual.values()[k] -= b->values()[k];
    stacks.push_back(sinogram_json({m.site->name, "data", &m.geometry}, *b, packing));
    stacks.push_back(sinogram_json({m.site->name, "residual", &m.geometry}, residual, packing));
  }
  if (stacks.empty()) return nullptr;
  return {{"all_slices", slices},
          {"slices", packing.slices},
          {"reduction", packing.reduction},
          {"stacks", std::move(stacks)}};
}

}  // namespace firm
