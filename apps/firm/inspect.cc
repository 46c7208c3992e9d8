#include "io/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "io/quantity.h"
#include "run/run_needs.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMethod = "firm-ds";  // the one without --method

Json to_json(const ValueStatistics& v) {
  return {{"count", v.count}, {"min", v.min},           {"max", v.max},   {"mean", v.mean},
          {"nan", v.nan},     {"infinite", v.infinite}, {"zero", v.zero}, {"negative", v.negative}};
}

Json to_json(const FieldReport& f) {
  return {{"path", f.path}, {"shape", f.shape}, {"type", f.type},
          {"axes", f.axes}, {"units", f.units}, {"values", to_json(f.values)}};
}

Json to_json(const AngleReport& a) {
  return {{"source", a.source},   {"count", a.count},       {"not_finite", a.not_finite},
          {"min_degrees", a.min}, {"max_degrees", a.max},   {"order", a.order},
          {"uniform", a.uniform}, {"min_step", a.min_step}, {"max_step", a.max_step}};
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// What `firm recon` needs for this site and an XRT site like it, on beamlets x beamlets pixels.
RunNeeds needs_of(const Inspection& r) {
  Study study;
  study.image_rows = study.image_columns = static_cast<int>(r.beamlets);
  Site site;
  site.geometry.angles.resize(r.angles.count);
  site.geometry.beamlets = static_cast<int>(r.beamlets);
  study.sites = {site, site};
  SolveOptions options;
  options.method = kMethod;
  return run_needs(options, study, false);
}

Json memory_json(const Inspection& r) {
  const RunNeeds needs = needs_of(r);
  return {{"method", kMethod},
          {"side", r.beamlets},
          {"sites", 2},
          {"bytes_per_slice", needs.per_slice},
          {"bytes", needs.bytes(r.slices)}};
}

std::string memory_text(const Inspection& r) {
  const RunNeeds needs = needs_of(r);
  return fmt::format(
      "about {} for {} of this site and an XRT site like it on {} x {} pixels,\n"
      "{:15}{} per slice; firm recon --max-memory solves fewer slices at a time",
      bytes_text(static_cast<double>(needs.bytes(r.slices))), kMethod, r.beamlets, r.beamlets, "",
      bytes_text(static_cast<double>(needs.per_slice)));
}

Json to_json(const Inspection& r) {
  Json fields = Json::array();
  for (const FieldReport& f : r.fields) fields.push_back(to_json(f));
  return {{"file", r.file},
          {"file_bytes", r.file_bytes},
          {"format", r.format},
          {"elements", r.elements},
          {"title", r.title},
          {"slices", r.slices},
          {"beamlets", r.beamlets},
          {"angles", to_json(r.angles)},
          {"fields", fields},
          {"spacing_cm", or_null(r.spacing)},
          {"rotation_axis", or_null(r.rotation_axis)},
          {"memory", memory_json(r)}};
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
  print_row("  units", f.units);
  print_row("  values", fmt::format("min {:.6g}, max {:.6g}, mean {:.6g}", v.min, v.max, v.mean));
  print_row("  bad values", fmt::format("{} NaN, {} infinite", v.nan, v.infinite));
  print_row("  of note", fmt::format("{} zero, {} negative", v.zero, v.negative));
}

void print_text(const Inspection& r) {
  print_row("file", fmt::format("{} ({})", r.file, bytes_text(static_cast<double>(r.file_bytes))));
  print_row("format", r.format);
  if (!r.title.empty()) print_row("title", r.title);
  if (!r.elements.empty()) {
    print_row("elements", fmt::format("{}; shown is {}", fmt::join(r.elements, ", "), r.element));
  }
  print_row("size", fmt::format("{} slice{} x {} beamlets", r.slices, r.slices == 1 ? "" : "s",
                                r.beamlets));
  print_row("angles", angles_text(r.angles));
  print_row("spacing", r.spacing ? length_text(*r.spacing) : "not in the file");
  print_row("rotation axis", r.rotation_axis
                                 ? fmt::format("{:.6g} beamlets (middle {:.6g})", *r.rotation_axis,
                                               static_cast<double>(r.beamlets) / 2)
                                 : "not in the file");
  print_row("memory needed", memory_text(r));
  for (const FieldReport& f : r.fields) print_field(f);
}

struct Arguments {
  std::string file;
  std::string element;
  bool json = false;
};

void run(const Arguments& a) {
  Inspection result;
  {
    ProgressLine line;
    result = inspect_file(a.file, a.element, line.callback());
  }
  if (a.json) {
    fmt::print("{}\n", to_json(result).dump(2));
  } else {
    print_text(result);
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "inspect", "Tell what is in a data file: shapes, angles, statistics, bad values, memory");
  verb->add_option("FILE", a->file, "An HDF5 file: Data Exchange, XRFtomo, NeXus (NXtomo)")
      ->required();
  verb->add_option("--element", a->element,
                   "Which one, of a file with several; without: the first");
  verb->add_flag("--json", a->json, "Answer in JSON");
  verb->footer(
      "Reads the file piece by piece, so it may be larger than the memory.\n"
      "\n"
      "Examples:\n"
      "  firm inspect study/xrt.h5\n"
      "  firm inspect study/xrt.h5 --json");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
