#include "sim/simulate.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstdlib>
#include <memory>
#include <optional>

#include "io/files/pending_file.h"
#include "io/study/quantity.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  SimulateOptions options;
  std::optional<double> pixel_size_um;
  std::string out;
};

// Validators return an error, or an empty text. CLI11 would wrap -1 around to a large seed.
std::string not_negative(const std::string& text) {
  return text.starts_with('-') ? "expected a whole number of 0 or more, found " + text : "";
}

std::string some_photons(const std::string& text) {
  return std::strtod(text.c_str(), nullptr) > 0 ? "" : "expected more than 0, found " + text;
}

void add_defects(CLI::App& verb, SimulateOptions& o) {
  constexpr const char* kGroup = "Defects of a real scan (default: none)";
  Defects& d = o.defects;
  const auto add = [&](const char* name, double& value, const char* help) {
    return verb.add_option(name, value, help)->group(kGroup);
  };
  add("--jitter", d.jitter,
      "Stage: a shift of each angle, uniform within +- this many beamlets, the same for all\n"
      "sites. Of --jitter and --drift together the part in span{1, cos, sin} of the angles is\n"
      "removed: that is not a defect, but an axis or an object at another place");
  add("--drift", d.drift, "Stage: beamlets from the first to the last angle, along a line");
  add("--vertical-jitter", d.vertical_jitter,
      "Stage: a vertical shift of each angle, uniform within +- this many slices, with mean\n"
      "zero; needs --slices 2 or more");
  add("--axis-offset", d.axis_offset,
      "Beamlets from the middle, which files and study give, to the true rotation axis");
  add("--angle-error", d.angle_error,
      "The true angle step is 1 + this times the step in the files: 0.014");
  add("--lag", d.lag,
      "XRT detector: time constant, in beamlets, of a one-pole filter along each row. It acts\n"
      "on intensities with --counts, on logarithms otherwise");
  add("--beam-drift", d.beam_drift,
      "Slow drift of the beam over the scan, as a fraction of it, from weakest to strongest");
  add("--crosstalk", d.crosstalk,
      "Share of the second element's signal that is counted as the first: 0.1 adds a tenth of\n"
      "Au to W");
  verb.add_flag(
          "--self-absorption", o.self_absorption,
          "Fluorescence is absorbed on its way to a detector at the side of larger beamlets.\n"
          "The elements of paper, shapes and smooth become CaCO3, Fe and Zn at 12 keV; angles\n"
          "go around the object, and the pixel size lets about half of the fluorescence out")
      ->group(kGroup);
  add("--xrf-counts", o.xrf_counts,
      "Largest expected count of XRF: write counts with Poisson noise instead of g/cm^2, with\n"
      "an unknown factor for each element")
      ->check(some_photons);
}

void run(Arguments& a) {
  SimulateOptions& o = a.options;
  o.pixel_size = a.pixel_size_um ? *a.pixel_size_um * kMicrometre
                                 : default_pixel_size(o.preset, o.size, o.self_absorption);
  // Fail before the long work.
  a.options.validate();
  make_directory(a.out);
  ProgressLine line;
  const Simulation simulation = simulate(a.options, line.callback());
  const std::vector<std::string> paths = write_simulation(simulation, a.out, line.callback());
  const Geometry& g = simulation.geometry;
  fmt::print("{} sites, {} x {} pixels, {} slice{}, {} angles, {} beamlets\n",
             simulation.sites.size(), g.image_rows, g.image_columns, a.options.slices,
             a.options.slices == 1 ? "" : "s", g.angles.size(), g.beamlets);
  for (const std::string& path : paths) fmt::print("wrote {}\n", path);
}

}  // namespace

void add_simulate(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "simulate", "Simulate a study: images, sinograms and noise, with a known truth");
  SimulateOptions& o = a->options;
  verb->add_option("--out", a->out, "Directory for the study; created if needed")->required();
  verb->add_option(
          "--preset", o.preset,
          "paper: the phantom of the paper; elements: Ca, Fe and Zn, every slice different;\n"
          "shapes: discs, bars and rings, three elements that share no edge;\n"
          "smooth: blobs, a gradient and waves, three elements without any edge;\n"
          "rod: a glass rod with traces of Zn, a W and an Au wire beside it, at 12.1 keV;\n"
          "minerals: a grain of rock with K, Ca, Ti, Cr, Fe and Zn, six elements at 12 keV;\n"
          "geode: a shell around grains of two elements, for --self-absorption")
      ->capture_default_str();
  verb->add_option("--size", o.size, "Pixels along a side of the image")->capture_default_str();
  verb->add_option("--angles", o.angles, "Angles over 180 degrees (360 with --self-absorption)")
      ->capture_default_str();
  verb->add_option("--slices", o.slices, "Slices of the object")->capture_default_str();
  verb->add_option(
          "--noise", o.noise,
          "Standard deviation of Gaussian noise, as a fraction of the largest value of a slice")
      ->capture_default_str();
  verb->add_option("--seed", o.seed, "Seed of the noise")
      ->check(not_negative)
      ->capture_default_str();
  verb->add_option("--pixel-size", a->pixel_size_um,
                   "Size of a pixel and of a beamlet, in um; the object scales with it\n"
                   "(default: 1, for rod 200 / SIZE, with --self-absorption about 100 / SIZE)");
  verb->add_option(
          "--counts", o.counts,
          "Photons per beamlet: write XRT as raw counts with Poisson noise, with white and\n"
          "dark fields (default: XRT after the logarithm)")
      ->check(some_photons);
  add_defects(*verb, o);
  verb->footer(
      "Writes study.toml, xrf-1.h5, xrf-2.h5, xrf-3.h5, xrt.h5 (Data Exchange) and truth.h5;\n"
      "with minerals also xrf-4.h5 to xrf-6.h5.\n"
      "With --xrf-counts or --crosstalk all elements are in one file, xrf.h5 (XRFtomo). Replaces\n"
      "existing files of these names.\n"
      "\n"
      "The rod, and any preset with a defect, is simulated on a grid twice as fine as that of the\n"
      "study. Data files and study.toml do not know the defects; truth.h5 has the true shifts,\n"
      "angles, axis, lag, gain, scales and masses, to compare a refinement with.\n"
      "\n"
      "Examples:\n"
      "  firm simulate --out study\n"
      "  firm simulate --out noisy --noise 0.01 --seed 7\n"
      "  firm simulate --out body --preset elements --size 512 --angles 180 --slices 32 \\\n"
      "      --counts 1e5\n"
      "  firm simulate --out rod --preset rod --angles 36 --counts 1e4 --xrf-counts 1e4 \\\n"
      "      --jitter 3 --drift 6 --angle-error 0.014 --lag 14 --beam-drift 0.05 --crosstalk 0.1");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
