#include "sim/fine_measurement.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "firm/projector.h"
#include "sim/matter.h"
#include "sim/phantom.h"
#include "tomo/attenuated/attenuated.h"

namespace firm {
namespace {

constexpr std::size_t kFiner = 2;  // pixels along a side of a pixel
constexpr std::size_t kRays = 8;   // per beamlet
// Limits of slices drawn at once: values of a fine image stack, and columns of the projector.
constexpr std::size_t kStackValues = std::size_t{1} << 24;
constexpr std::size_t kStackSlices = 16;

// T of one element may take so much; more is made again for each product.
constexpr std::size_t kTransmittanceBytes = std::size_t{1} << 28;

// mu = sum of coefficient * image, with matter that XRF does not see after the elements.
Block attenuation(const Phantom& phantom, const std::vector<double>& coefficients) {
  Block mu(phantom.images.front().rows(), phantom.images.front().columns());
  const auto add = [&](double coefficient, const Block& image) {
    const auto c = static_cast<float>(coefficient);
    for (std::size_t k = 0; k < mu.size(); ++k) mu.data()[k] += c * image.data()[k];
  };
  const std::size_t elements = phantom.images.size() - 1;
  for (std::size_t i = 0; i < elements; ++i) add(coefficients[i], phantom.images[i]);
  if (phantom.other.rows() > 0) add(coefficients[elements], phantom.other);
  return mu;
}

Geometry fine_geometry(const Geometry& files, const TrueScan& scan) {
  constexpr int kTimes = static_cast<int>(kFiner);
  constexpr int kRayTimes = static_cast<int>(kRays);
  Geometry fine = files;
  fine.image_rows *= kTimes;
  fine.image_columns *= kTimes;
  fine.pixel_size /= kTimes;
  fine.beamlets *= kRayTimes;
  fine.spacing /= kRayTimes;
  fine.angles = scan.angles;
  fine.rotation_axis = kRayTimes * scan.rotation_axis;
  fine.shifts.clear();
  for (const double shift : scan.shifts) fine.shifts.push_back(kRayTimes * shift);
  return fine;
}

std::size_t slices_at_once(const Geometry& files, std::size_t slices) {
  const std::size_t fit = kStackValues / (kFiner * kFiner * files.pixels());
  return std::min(slices, std::clamp<std::size_t>(fit, 1, kStackSlices));
}

int margin_for(double largest_shift) { return static_cast<int>(std::ceil(largest_shift)); }

// Means of 2 x 2 pixels of slice `from` of an image.
void average_pixels(const Block& fine, std::size_t from, std::size_t columns, std::size_t to,
                    Block& coarse) {
  for (std::size_t p = 0; p < coarse.rows(); ++p) {
    const std::size_t corner = kFiner * ((p / columns) * kFiner * columns + p % columns);
    double sum = 0;
    for (std::size_t r = 0; r < kFiner; ++r) {
      for (std::size_t c = 0; c < kFiner; ++c) {
        sum += static_cast<double>(fine(corner + r * kFiner * columns + c, from));
      }
    }
    coarse(p, to) = static_cast<float>(sum / (kFiner * kFiner));
  }
}

// Means over the rays of a beamlet; slice k of `fine` becomes slice first + k.
void average_rays(const Block& fine, std::size_t first, Block& coarse) {
  for (std::size_t ray = 0; ray < coarse.rows(); ++ray) {
    for (std::size_t k = 0; k < fine.columns(); ++k) {
      double sum = 0;
      for (std::size_t q = 0; q < kRays; ++q) {
        sum += static_cast<double>(fine(kRays * ray + q, k));
      }
      coarse(ray, first + k) = static_cast<float>(sum / kRays);
    }
  }
}

// The slices with margins, in stacks that fit into memory.
class Measuring {
 public:
  Measuring(const Geometry& files, const TrueScan& scan, const FineSetup& setup, std::size_t margin)
      : files_(files),
        fine_(fine_geometry(files, scan)),
        slices_(static_cast<std::size_t>(setup.slices)),
        margin_(margin),
        stack_(slices_at_once(files, slices_ + 2 * margin)),
        threads_(setup.threads) {
    ProjectorOptions options;
    options.threads = threads_;
    options.columns = static_cast<int>(stack_);
    projector_ = make_projector(fine_, options);
    if (setup.self_absorption) fluorescence_ = fluorescence_of(matter_of(setup.preset));
  }

  std::size_t stack() const { return stack_; }

  // `first`: number of the phantom's first slice, counted from the start of the margin.
  void add(const Phantom& phantom, std::size_t first, FineMeasurement& made) const {
    const std::size_t count = phantom.images.front().columns();
    if (made.titles.empty()) begin(phantom, made);
    Block rays(kRays * files_.rays(), count);
    for (std::size_t i = 0; i < phantom.images.size(); ++i) {
      average_slices(phantom.images[i], first, made.truth[i]);
      if (i < fluorescence_.size()) {
        project_fluorescence(phantom, i, rays);
      } else {
        projector_->forward(phantom.images[i], rays);
      }
      average_rays(rays, first, made.data[i]);
    }
    if (phantom.other.rows() > 0) average_slices(phantom.other, first, made.other);
  }

 private:
  void begin(const Phantom& phantom, FineMeasurement& made) const {
    made.titles = phantom.titles;
    made.coefficients = phantom.coefficients;
    made.energy = phantom.energy;
    made.truth.assign(phantom.images.size(), Block(files_.pixels(), slices_));
    made.data.assign(phantom.images.size(), Block(files_.rays(), slices_ + 2 * margin_));
    if (phantom.other.rows() > 0) made.other = Block(files_.pixels(), slices_);
  }

  // b = A diag(T) w of element i.
  void project_fluorescence(const Phantom& phantom, std::size_t i, Block& rays) const {
    TransmittanceOptions options;
    options.columns = static_cast<int>(rays.columns());
    options.threads = threads_;
    options.max_bytes = kTransmittanceBytes;
    Transmittance transmittance(fine_, fluorescence_[i].path, options);
    transmittance.update(attenuation(phantom, fluorescence_[i].incident),
                         attenuation(phantom, fluorescence_[i].line));
    ProjectorOptions projector_options;
    projector_options.threads = threads_;
    make_attenuated_projector(transmittance, projector_options)->forward(phantom.images[i], rays);
  }

  // Skips slices of the margin.
  void average_slices(const Block& fine, std::size_t first, Block& coarse) const {
    for (std::size_t k = 0; k < fine.columns(); ++k) {
      const std::size_t slice = first + k;
      if (slice < margin_ || slice >= margin_ + slices_) continue;
      average_pixels(fine, k, static_cast<std::size_t>(files_.image_columns), slice - margin_,
                     coarse);
    }
  }

  const Geometry& files_;
  Geometry fine_;
  std::size_t slices_;
  std::size_t margin_;
  std::size_t stack_;
  int threads_;
  std::vector<Fluorescence> fluorescence_;  // of the elements; empty: not absorbed
  std::unique_ptr<Projector> projector_;
};

}  // namespace

FineMeasurement measure_finely(const FineSetup& setup, const Geometry& files, const TrueScan& scan,
                               const Progress& progress) {
  double largest = 0;
  for (const double shift : scan.vertical_shifts) largest = std::max(largest, std::abs(shift));
  const int margin = margin_for(largest);
  const std::vector<double> heights = slice_heights(setup.slices, margin);
  const Measuring measuring(files, scan, setup, static_cast<std::size_t>(margin));
  FineMeasurement made;
  for (std::size_t first = 0; first < heights.size(); first += measuring.stack()) {
    report(progress, "measuring slices",
           static_cast<double>(first) / static_cast<double>(heights.size()));
    const std::size_t count = std::min(measuring.stack(), heights.size() - first);
    const std::span<const double> stack = std::span(heights).subspan(first, count);
    Phantom phantom =
        draw_phantom(setup.preset, static_cast<int>(kFiner) * files.image_columns, stack);
    if (setup.self_absorption) make_real(matter_of(setup.preset), phantom);
    measuring.add(phantom, first, made);
  }
  if (margin > 0) {
    for (Block& data : made.data) {
      data = at_vertical_shifts(data, static_cast<std::size_t>(files.beamlets),
                                static_cast<std::size_t>(margin), scan.vertical_shifts);
    }
  }
  return made;
}

double fine_measurement_bytes(const FineSetup& setup, const Geometry& files,
                              double vertical_jitter) {
  const int slices = setup.slices;
  const auto sites = static_cast<double>(phantom_sites(setup.preset));
  // Shifts of mean zero are at most twice the jitter.
  const auto tall = static_cast<std::size_t>(slices + 2 * margin_for(2 * vertical_jitter));
  const auto stack = static_cast<double>(slices_at_once(files, tall));
  const auto pixels = static_cast<double>(files.pixels());
  const auto rays = static_cast<double>(files.rays());
  // Images have those of matter that XRF does not see beside those of sites.
  const double result = (sites + 1) * slices * pixels + sites * static_cast<double>(tall) * rays;
  const double scratch = stack * (kFiner * kFiner * (sites + 1) * pixels + kRays * rays);
  return (result + scratch) * sizeof(float);
}

}  // namespace firm
