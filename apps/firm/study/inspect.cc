#include "io/inspect/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <memory>

#include "io/study/quantity.h"
#include "run/api/inspection_json.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

std::string memory_text(const Inspection& r) {
  const MemoryEstimate needs = memory_for(r);
  return fmt::format(
      "about {} for {} of this site and an XRT site like it on {} x {} pixels,\n"
      "{:15}{} per slice; firm recon --max-memory solves fewer slices at a time",
      bytes_text(static_cast<double>(needs.bytes(r.slices))), default_method(), r.beamlets,
      r.beamlets, "", bytes_text(static_cast<double>(needs.per_slice)));
}

void print_row(const char* name, const std::string& value) {
  fmt::print("{:<14} {}\n", name, value);
}

std::string angles_text(const AngleReport& a) {
  std::string text =
      fmt::format("{} from {:.6g} to {:.6g} degrees, {}", a.count, a.min, a.max, a.order);
  if (a.uniform) {
    text += fmt::format(", step {:.6g}", a.max_step);
  } else if (a.count > 1) {
    text += fmt::format(", steps from {:.6g} to {:.6g}", a.min_step, a.max_step);
  }
  if (a.not_finite > 0) text += fmt::format(", {} not a number", a.not_finite);
  return text + "  [" + a.source + "]";
}

void print_field(const FieldReport& f) {
  const ValueStatistics& v = f.values;
  fmt::print("\n{}\n", f.path);
  print_row("  shape", fmt::format("{} ({}), {}", h5::to_string(f.shape), f.axes, f.type));
  print_row("  units", f.units.empty() ? "not in the file" : f.units);
  print_row("  values", fmt::format("min {:.6g}, max {:.6g}, mean {:.6g}", v.min, v.max, v.mean));
  print_row("  bad values", fmt::format("{} NaN, {} infinite", v.nan, v.infinite));
  std::string note = fmt::format("{} zero, {} negative", v.zero, v.negative);
  if (v.saturated > 0)
    note += fmt::format(", {} saturated (at the largest {})", v.saturated, f.type);
  print_row("  notable", note);
}

// The first kListed things as text, followed by ", ..." when `count` is larger.
template <typename T, typename Text>
std::string some_of(const std::vector<T>& things, std::size_t count, const Text& text) {
  std::string all;
  for (std::size_t k = 0; k < std::min(things.size(), kListed); ++k) {
    all += (k == 0 ? "" : ", ") + text(things[k]);
  }
  return count > kListed ? all + ", ..." : all;
}

void print_dead(const DeadReport& d) {
  if (d.count == 0) return print_row("dead columns", "none");
  const std::string first = some_of(d.first, d.count, [](const DeadColumn& c) {
    return fmt::format("slice {} beamlet {} ({:.6g})", c.slice, c.beamlet, c.value);
  });
  print_row("dead columns", fmt::format("{} have the same value at all angles, {} of them 0: {}",
                                        d.count, d.zero, first));
}

void print_missing(const Inspection& r) {
  const std::string frames =
      some_of(r.missing, r.missing.size(), [](std::size_t frame) { return std::to_string(frame); });
  print_row("missing frames", r.missing.empty()
                                  ? "none"
                                  : fmt::format("{} of {} are 0 throughout: {}", r.missing.size(),
                                                r.angles.count, frames));
}

void print_jumps(const JumpReport& j) {
  const std::string frames = some_of(j.frames, j.frames.size(), [](const Jump& jump) {
    return fmt::format("frame {} ({:.4g} times)", jump.frame, jump.ratio);
  });
  print_row("jumps", j.frames.empty() ? "none" : fmt::format("{}: {}", j.frames.size(), frames));
  print_row("", fmt::format("[{}; {}]", j.level, j.rule));
}

void print_text(const Inspection& r) {
  print_row("file", fmt::format("{} ({})", r.file, bytes_text(static_cast<double>(r.file_bytes))));
  print_row("format", r.format);
  if (!r.title.empty()) print_row("title", r.title);
  if (!r.elements.empty()) {
    print_row("elements", fmt::format("{}; shown is {}", fmt::join(r.elements, ", "), r.element));
  }
  if (!r.scalers.empty()) print_row("scalers", fmt::format("{}", fmt::join(r.scalers, ", ")));
  print_row("size", fmt::format("{} slice{} x {} beamlets", r.slices, r.slices == 1 ? "" : "s",
                                r.beamlets));
  print_row("angles", angles_text(r.angles));
  print_row("spacing", r.spacing ? length_text(*r.spacing) : "not in the file");
  print_row("rotation axis", r.rotation_axis
                                 ? fmt::format("{:.6g} beamlets (middle {:.6g})", *r.rotation_axis,
                                               static_cast<double>(r.beamlets) / 2)
                                 : "not in the file");
  print_row("memory needed", memory_text(r));
  print_dead(r.dead);
  print_missing(r);
  print_jumps(r.jumps);
  for (const std::string& warning : r.warnings) print_row("warning", warning);
  for (const FieldReport& f : r.fields) print_field(f);
  fmt::print("\nFor study.toml:\n\n{}", r.study);
}

struct Arguments {
  std::string file;
  ScanRequest request;
  std::string monitor;
  bool json = false;
};

void run(const Arguments& a) {
  ScanRequest request = a.request;
  (a.monitor.starts_with('/') ? request.monitor : request.monitor_file) = a.monitor;
  Inspection result;
  {
    ProgressLine line;
    result = inspect_file(a.file, request, line.callback());
  }
  if (a.json) {
    fmt::print("{}\n", inspection_json(result));
  } else {
    print_text(result);
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "inspect",
      "Describe a data file: shapes, angles, statistics, warnings, memory for its reconstruction,\n"
      "and a table for study.toml");
  verb->add_option(
          "FILE", a->file,
          "Data file (HDF5 of Data Exchange, XRFtomo or NeXus; TIFF; .npy), or folder (one\n"
          "HDF5 file of XRF-Maps or PyXRF per angle; TIFF files)")
      ->required();
  verb->add_option(
      "--element", a->request.element,
      "Element or scaler to read from a file with several (default: the first element)");
  verb->add_option(
      "--angles", a->request.angles,
      "File with the angles, for data without: text with one angle per line, in degrees,\n"
      "or .npy");
  verb->add_option("--angle-unit", a->request.angle_unit,
                   "Unit of the angles, deg or rad (default: as the file says, else deg)")
      ->check(CLI::IsMember({"deg", "rad"}));
  verb->add_option(
      "--axes", a->request.axes,
      "Order of the axes of TIFF and .npy, for example y:theta:x (default: theta:y:x)");
  verb->add_option(
      "--monitor", a->monitor,
      "Monitor, I0: /path/of/dataset in the HDF5 file, or a file with one number per angle (text\n"
      "or .npy)");
  verb->add_flag("--external-files", a->request.external_files,
                 "Read other HDF5 files too that the file links to, if they are below its folder");
  verb->add_flag("--json", a->json, "Print the result as JSON");
  verb->footer(
      "Reads the file in pieces, so it may be larger than memory.\n"
      "\n"
      "Examples:\n"
      "  firm inspect study/xrt.h5\n"
      "  firm inspect study/xrt.h5 --json\n"
      "  firm inspect elements.h5 --element Fe\n"
      "  firm inspect tiffs --angles angles.txt --axes y:theta:x");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
