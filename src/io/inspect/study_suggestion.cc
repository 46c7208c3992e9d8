#include "io/inspect/study_suggestion.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/files/folder.h"
#include "io/files/image_file.h"
#include "io/formats/data_units.h"
#include "io/study/quantity.h"
#include "physics/attenuation.h"

namespace firm {
namespace {

// A quoted TOML string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string line(const std::string& assignment, const std::string& comment = "") {
  if (comment.empty()) return assignment + "\n";
  return fmt::format("{:<31} # {}\n", assignment, comment);
}

// Name of the file without its extension, and the element, in characters that a name may have.
std::string site_name(const Inspection& r) {
  std::string name = std::filesystem::path(name_of_file(r.file)).stem().string();
  if (!r.element.empty()) name += "-" + r.element;
  for (char& c : name) {
    const bool usable = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!usable) c = '-';
  }
  if (name.empty() || name[0] == '.') name = "site" + name;
  return is_site_name(name) && name != "other" ? name : name + "-1";
}

struct Kind {
  std::string kind;
  std::string why;
};

Kind kind_of(const Inspection& r) {
  const std::string& units = r.fields.front().units;
  if (element_of_channel(r.element)) return {"xrf", ""};
  if (!r.element.empty()) return {"xrt", "a counter beside the spectra"};
  if (r.has_white) return {"xrt", ""};
  if (r.has_monitor) return {"xrt", "a guess: there is a monitor"};
  if (units == "1") return {"xrt", ""};
  if (unit_size(Dimension::kAreaDensity, units)) return {"xrf", ""};
  return {"xrf", "a guess: there are neither white frames nor a monitor"};
}

bool needs_logarithm(const Inspection& r) {
  return kind_of(r).kind == "xrt" && (r.has_white || r.has_monitor) &&
         r.fields.front().units != "1";
}

// Why values must be masked; empty: they need not be.
std::string bad_values(const Inspection& r) {
  for (const FieldReport& f : r.fields) {
    if (f.values.nan + f.values.infinite > 0) return "there are NaN or infinite values";
  }
  if (!r.missing.empty()) return "there are frames that are 0 throughout";
  if (!needs_logarithm(r)) return "";
  const ValueStatistics& data = r.fields.front().values;
  if (data.zero + data.negative > 0) return "there are counts of 0 or less";
  if (r.has_dark && data.min <= r.fields[1 + (r.has_white ? 1 : 0)].values.mean) {
    return "there are counts at or below those of the dark frames";
  }
  if (r.has_monitor && r.fields.back().values.min <= 0) {
    return "there are values of the monitor of 0 or less";
  }
  return "";
}

std::string image_lines(const Inspection& r) {
  std::string text = "[image]\n";
  text += line(fmt::format("rows = {}", r.beamlets));
  text += line(fmt::format("columns = {}", r.beamlets));
  text += line(fmt::format("slices = {}", r.slices));
  if (r.spacing) return text + line("pixel_size = " + quoted(exact_length_text(*r.spacing)));
  return text + line("# pixel_size = \"1 um\"", "fill in: not in the data");
}

std::string source_lines(const Inspection& r, const ScanRequest& request) {
  std::string text = line("data = " + quoted(r.file));
  if (!r.element.empty()) text += line("element = " + quoted(r.element));
  if (!request.angles.empty()) text += line("angles = " + quoted(request.angles));
  if (!request.axes.empty()) text += line("axes = " + quoted(request.axes));
  const std::string monitor = request.monitor + request.monitor_file;  // at most one is set
  if (!monitor.empty()) text += line("monitor = " + quoted(monitor));
  return text;
}

// Coefficient of an XRF site, to be filled in.
std::string coefficient_line(const Inspection& r) {
  const std::optional<std::string> element = element_of_channel(r.element);
  const std::string comment =
      element ? fmt::format(
                    "fill in: cm^2/g of {}; or the energy of the XRT beam, in [study]: "
                    "energy = \"12 keV\"",
                    *element)
              : "fill in: cm^2/g";
  return line("# coefficient = 100.0", comment);
}

}  // namespace

std::string suggested_kind(const Inspection& r) { return kind_of(r).kind; }

std::string suggested_study(const Inspection& r, const ScanRequest& request) {
  const Kind kind = kind_of(r);
  std::string text = image_lines(r) + "\n[[site]]\n";
  text += line("name = " + quoted(site_name(r)));
  text += line("kind = " + quoted(kind.kind), kind.why);
  text += source_lines(r, request);
  if (kind.kind == "xrf") text += coefficient_line(r);
  if (kind.kind == "xrf" && !xrf_unit(r.fields.front().units).warning.empty()) {
    text += line("# scale = 1.0", "to g/cm^2, from the unit of the data; firm calibrate finds it");
  }
  if (needs_logarithm(r)) text += line("minus_log = true", "the data is counts");
  const std::string bad = bad_values(r);
  if (!bad.empty()) text += line("bad_values = \"mask\"", bad);
  if (!r.rotation_axis) {
    text += line("# rotation_axis = \"auto\"",
                 fmt::format("or a number of beamlets; default: the middle, {}",
                             static_cast<double>(r.beamlets) / 2));
  }
  return text;
}

}  // namespace firm
