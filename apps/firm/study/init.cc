// firm init: writes a study for data files.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>

#include "core/shell_quote.h"
#include "firm/error.h"
#include "io/files/pending_file.h"
#include "io/init/study_proposal.h"
#include "io/study/quantity.h"
#include "prep/study_data.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  ProposalArguments proposal;
  std::string energy;
  std::string pixel_size;
  bool overwrite = false;
};

std::optional<double> positive(const char* option, Dimension dimension, const std::string& text,
                               const char* example) {
  if (text.empty()) return {};
  const std::optional<double> value = parse_quantity(dimension, text);
  if (value && *value > 0) return value;
  throw usage_error({"firm init", option,
                     fmt::format("a number above 0 and a unit ({}), for example {}",
                                 unit_names(dimension), example),
                     fmt::format("\"{}\"", text)});
}

void check_out(const Arguments& a) {
  const std::string& out = a.proposal.out;
  if (std::filesystem::is_directory(out)) {
    throw usage_error({out, "--out", "the name of a file, such as study.toml", "a directory"});
  }
  if (a.overwrite || !std::filesystem::exists(out)) return;
  throw usage_error({out, "--out", "a new file, or --overwrite", "an existing file"});
}

void print(const StudyProposal& p, const std::string& out) {
  fmt::print("wrote {}: {} site{}, {} x {} pixels, {} slice{}\n", out, p.sites.size(),
             p.sites.size() == 1 ? "" : "s", p.side, p.side, p.slices, p.slices == 1 ? "" : "s");
  if (!p.guesses.empty()) fmt::print("\nGuesses; correct them in {}:\n", out);
  for (const std::string& guess : p.guesses) fmt::print("  {}\n", guess);
}

void print_next(const StudyProposal& p, const std::string& out) {
  fmt::print("\nNext:\n  firm check {}\n", shell_quote(out));
  std::string study = shell_quote(out);
  if (p.needs_calibration) {
    study = shell_quote((std::filesystem::path(out).parent_path() / "calibrated.toml").string());
    fmt::print("  firm calibrate {} --out {}\n", shell_quote(out), study);
    fmt::print("      XRF is not in g/cm^2: until then its images, and the joint fit, are wrong\n");
  }
  fmt::print("  firm recon {} --out run\n", study);
}

void run(Arguments& a) {
  ProposalArguments& p = a.proposal;
  p.energy = positive("--energy", Dimension::kEnergy, a.energy, "\"12 keV\"");
  p.pixel_size = positive("--pixel-size", Dimension::kLength, a.pixel_size, "\"1 um\"");
  check_out(a);
  StudyProposal proposal;
  {
    ProgressLine line;
    proposal = propose_study(p, line.callback());
  }
  write_text_file(p.out, proposal.text);
  print(proposal, p.out);
  std::fflush(stdout);
  // Finds contradictions between the study and its files.
  StudyData(read_study(p.out), p.out).geometries();
  print_next(proposal, p.out);
}

}  // namespace

void add_init(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  ProposalArguments& p = a->proposal;
  CLI::App* verb = app.add_subcommand(
      "init", "Write a study for data files, with a comment for everything that is guessed");
  verb->add_option("FILE", p.files,
                   "Data files or folders: one or more with XRF, and one with the transmission")
      ->required();
  verb->add_option("--energy", a->energy,
                   "Energy of the XRT beam, for example \"12 keV\"; needed for XRF");
  verb->add_option("--pixel-size", a->pixel_size,
                   "Size of a pixel, for example \"1 um\" (default: the distance between beamlets\n"
                   "in the files)");
  verb->add_option("--out", p.out, "Study file to write, for example study.toml")->required();
  verb->add_option("--angles", p.hints.angles,
                   "File with the angles, for data without (default: angles.txt, theta.txt,\n"
                   "angles.npy or theta.npy beside the data)");
  verb->add_option("--angle-unit", p.hints.angle_unit,
                   "Unit of the angles, deg or rad (default: as the file says, else a guess)")
      ->check(CLI::IsMember({"deg", "rad"}));
  verb->add_option("--axes", p.hints.axes,
                   "Order of the axes of TIFF and .npy, for example y:theta:x (default: the axis\n"
                   "with one entry per angle is theta)");
  verb->add_option("--name", p.name, "Name of the study (default: that of its file)");
  verb->add_flag("--overwrite", a->overwrite, "Replace the study file");
  verb->footer(
      "A file with several elements becomes one site per element, and its counter behind the\n"
      "object (DS_IC) the XRT site, if no other file is. Names, units and values tell XRF from\n"
      "XRT, and counts from transmissions and logarithms. The image is as wide as the widest\n"
      "detector. Every guess is printed, and is a comment in the study.\n"
      "\n"
      "Examples:\n"
      "  firm init Ca.npy Fe.npy xrt.npy --energy \"12 keV\" --pixel-size \"1 um\" --out "
      "study.toml\n"
      "  firm init maps xrt.h5 --energy \"12 keV\" --out study.toml\n"
      "  firm init xrf_Fe_K.tif xrt.tif --angles theta.txt --energy \"12 keV\" --pixel-size \"1 "
      "um\" "
      "--out study.toml");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
