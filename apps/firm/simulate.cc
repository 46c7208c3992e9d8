#include "sim/simulate.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstdlib>
#include <memory>

#include "io/files/pending_file.h"
#include "io/study/quantity.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  SimulateOptions options;
  double pixel_size_um = 1;
  std::string out;
};

// Validators return an error, or an empty text. CLI11 would wrap -1 around to a large seed.
std::string not_negative(const std::string& text) {
  return text.starts_with('-') ? "expected a whole number of 0 or more, found " + text : "";
}

std::string some_photons(const std::string& text) {
  return std::strtod(text.c_str(), nullptr) > 0 ? "" : "expected more than 0, found " + text;
}

void run(Arguments& a) {
  a.options.pixel_size = a.pixel_size_um * kMicrometre;
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
          "smooth: blobs, a gradient and waves, three elements without any edge")
      ->capture_default_str();
  verb->add_option("--size", o.size, "Pixels along a side of the image")->capture_default_str();
  verb->add_option("--angles", o.angles, "Angles over 180 degrees")->capture_default_str();
  verb->add_option("--slices", o.slices, "Slices of the object")->capture_default_str();
  verb->add_option(
          "--noise", o.noise,
          "Standard deviation of Gaussian noise, as a fraction of the largest value of a slice")
      ->capture_default_str();
  verb->add_option("--seed", o.seed, "Seed of the noise")
      ->check(not_negative)
      ->capture_default_str();
  verb->add_option("--pixel-size", a->pixel_size_um, "Size of a pixel and of a beamlet, in um")
      ->capture_default_str();
  verb->add_option(
          "--counts", o.counts,
          "Photons per beamlet: write XRT as raw counts with Poisson noise, with white and\n"
          "dark fields (default: XRT after the logarithm)")
      ->check(some_photons);
  verb->footer(
      "Writes study.toml, xrf-1.h5, xrf-2.h5, xrf-3.h5, xrt.h5 (Data Exchange) and truth.h5.\n"
      "Replaces existing files of these names.\n"
      "\n"
      "Examples:\n"
      "  firm simulate --out study\n"
      "  firm simulate --out noisy --noise 0.01 --seed 7\n"
      "  firm simulate --out body --preset elements --size 512 --angles 180 --slices 32 \\\n"
      "      --counts 1e5");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
