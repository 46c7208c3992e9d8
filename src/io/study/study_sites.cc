#include "io/study/study_sites.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/closest_name.h"
#include "io/files/image_file.h"
#include "io/study/study_fluorescence.h"
#include "io/study/study_limits.h"
#include "io/study/study_table.h"

namespace firm {
namespace {

const std::vector<std::string> kKeys = {"name",
                                        "kind",
                                        "scan",
                                        "data",
                                        "element",
                                        "angles",
                                        "angle_unit",
                                        "axes",
                                        "monitor",
                                        "first_slice",
                                        "binning",
                                        "external_files",
                                        "compound",
                                        "coefficient",
                                        "coupled",
                                        "sigma",
                                        "spacing",
                                        "rotation_axis",
                                        "axis_search",
                                        "shift",
                                        "shifts",
                                        "shifts_vertical",
                                        "angle_scale",
                                        "angle_offset",
                                        "saturation",
                                        "zingers",
                                        "normalize",
                                        "air",
                                        "gain",
                                        "lag",
                                        "clip_low",
                                        "clip_high",
                                        "minus_log",
                                        "bad_values",
                                        "rings",
                                        "unmix",
                                        "scale",
                                        "key",
                                        "reverse_angles",
                                        "line",
                                        "line_energy",
                                        "energy",
                                        "detector_side",
                                        "beam_direction",
                                        "detector_distance",
                                        "detector_diameter"};

constexpr int kMostBinning = 64;
constexpr int kMostBeamlets = 1 << 20;
constexpr int kMostFirstSlice = 1000000;

bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether the name can be part of a file name and the name of an HDF5 group. "other" names the
// images of w_other.
bool usable_name(const std::string& name) {
  const auto allowed = [](char c) {
    return letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  };
  return is_site_name(name) && name[0] != '.' && name != "other" &&
         std::ranges::all_of(name, allowed);
}

void read_name(const StudyTable& t, const std::vector<SiteEntry>& before, SiteEntry& site) {
  site.name = t.text("name");
  if (!usable_name(site.name)) {
    throw t.error("name",
                  "letters, digits, '-', '_' and '.', no '.' in front, and not the name \"other\"",
                  fmt::format("\"{}\"", site.name));
  }
  const auto same = std::ranges::find(before, site.name, &SiteEntry::name);
  if (same == before.end()) return;
  throw t.error("name", "a name that no other site has",
                fmt::format("\"{}\", the name of the site in line {}", site.name, same->line));
}

// Rejects keys that belong to the other kind of site.
void refuse_keys_of(const char* kind, const StudyTable& t, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (!t.has(key)) continue;
    const char* other = std::string(kind) == "xrf" ? "xrt" : "xrf";
    throw t.error(key, fmt::format("no such key for kind \"{}\"", other),
                  fmt::format("a key of kind \"{}\"", kind));
  }
}

// The name is also a key of summary.json.
void read_scan(const StudyTable& t, SiteEntry& site) {
  if (!t.has("scan")) return;
  site.scan = t.text("scan");
  const auto allowed = [](char c) {
    return letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  };
  if (!site.scan.empty() && std::ranges::all_of(site.scan, allowed)) return;
  throw t.error("scan", "letters, digits, '-', '_' and '.'", fmt::format("\"{}\"", site.scan));
}

void read_kind(const StudyTable& t, SiteEntry& site) {
  site.kind = t.text("kind");
  if (site.kind == "xrf")
    return refuse_keys_of("xrt", t, {"minus_log", "air", "clip_low", "clip_high"});
  if (site.kind == "xrt")
    return refuse_keys_of(
        "xrf", t,
        {"coefficient", "compound", "coupled", "scale", "unmix", "line", "line_energy", "energy",
         "detector_side", "beam_direction", "detector_distance", "detector_diameter"});
  throw t.error("kind", R"("xrf" or "xrt")",
                fmt::format("\"{}\"{}", site.kind, did_you_mean(site.kind, {"xrf", "xrt"})));
}

void read_source(const StudyTable& t, SiteEntry& site) {
  site.data = t.nonempty_text("data");
  if (t.has("element")) site.element = t.nonempty_text("element");
  if (t.has("angles")) site.angles = t.nonempty_text("angles");
  if (t.has("angle_unit")) site.angle_unit = t.choice("angle_unit", {"deg", "rad"});
  if (t.has("axes")) site.axes = t.nonempty_text("axes");
  if (t.has("monitor")) site.monitor = t.nonempty_text("monitor");
  if (t.has("first_slice")) site.first_slice = t.whole("first_slice", 0, kMostFirstSlice);
  if (t.has("binning")) site.binning = t.whole("binning", 1, kMostBinning);
  if (t.has("external_files")) site.external_files = t.boolean("external_files");
}

// A number is in cm^2/g; a text has a unit.
void read_coefficient(const StudyTable& t, SiteEntry& site) {
  if (t.has("compound")) site.compound = t.nonempty_text("compound");
  if (t.has("coupled")) site.coupled = t.boolean("coupled");
  if (t.is_text("coefficient")) {
    site.coefficient = t.quantity("coefficient", Dimension::kMassAttenuation, "\"104.7 cm^2/g\"");
    if (site.coefficient > 0) return;
    throw t.error("coefficient", "a coefficient above 0", t.text("coefficient"));
  }
  if (t.has("coefficient")) site.coefficient = t.positive("coefficient");
}

void read_noise(const StudyTable& t, SiteEntry& site) {
  if (t.is_text("sigma")) {
    const bool counts = t.choice("sigma", {"counts", "estimate"}) == "counts";
    site.noise = counts ? Noise::kCounts : Noise::kEstimated;
  } else if (t.has("sigma")) {
    site.sigma = t.positive("sigma");
  }
}

// shift = ["1 um", "-2 um"]
void read_shift(const StudyTable& t, SiteEntry& site) {
  if (!t.has("shift")) return;
  const std::vector<double> xy =
      t.quantities("shift", Dimension::kLength, 2, R"(["1 um", "-2 um"])");
  site.shift_x = xy[0];
  site.shift_y = xy[1];
}

// A text names a file; an array has the numbers.
PerAngle read_per_angle(const StudyTable& t, const char* key) {
  if (!t.has(key)) return {};
  if (t.is_text(key)) return {t.nonempty_text(key), {}};
  return {"", t.numbers(key)};
}

void read_geometry(const StudyTable& t, SiteEntry& site) {
  if (t.has("spacing")) site.spacing = t.length("spacing");
  if (t.is_text("rotation_axis")) {
    site.find_rotation_axis = t.choice("rotation_axis", {"auto"}) == "auto";
  } else if (t.has("rotation_axis")) {
    site.rotation_axis = t.number("rotation_axis");
  }
  if (t.has("axis_search")) {
    site.axis_search = t.positive("axis_search");
    if (!site.find_rotation_axis) {
      throw t.error("axis_search", "rotation_axis = \"auto\" in the same site",
                    "another value, or none");
    }
  }
  read_shift(t, site);
  site.shifts = read_per_angle(t, "shifts");
  site.shifts_vertical = read_per_angle(t, "shifts_vertical");
  if (t.has("angle_scale")) site.angle_scale = t.positive("angle_scale");
  if (t.has("angle_offset")) {
    site.angle_offset = t.quantity("angle_offset", Dimension::kAngle, "\"0.5 deg\"");
  }
  if (t.has("reverse_angles")) site.reverse_angles = t.boolean("reverse_angles");
}

void read_clipping(const StudyTable& t, Preparation& p) {
  if (t.has("clip_low")) p.clip_low = t.positive("clip_low");
  if (t.has("clip_high")) p.clip_high = t.positive("clip_high");
  if (!p.clip_low || !p.clip_high || *p.clip_low < *p.clip_high) return;
  throw t.error("clip_high", fmt::format("a number above clip_low = {}", *p.clip_low),
                fmt::format("{}", *p.clip_high));
}

// What the beam and the detector did during the scan.
void read_beam(const StudyTable& t, Preparation& p) {
  p.gain = read_per_angle(t, "gain");
  const auto wrong = std::ranges::find_if_not(p.gain.values, [](double x) { return x > 0; });
  if (wrong != p.gain.values.end()) {
    throw t.error("gain", "factors above 0",
                  fmt::format("{} at angle {}", *wrong, wrong - p.gain.values.begin()));
  }
  if (!t.has("lag")) return;
  p.lag = t.number("lag");
  if (*p.lag >= 0 && *p.lag <= kMostBeamlets) return;
  throw t.error("lag", fmt::format("a number of beamlets from 0 to {}", kMostBeamlets),
                fmt::format("{}", *p.lag));
}

void read_scale(const StudyTable& t, const std::string& element, Preparation& p) {
  if (t.is_text("scale")) {
    p.find_scale = t.choice("scale", {"auto"}) == "auto";
  } else if (t.has("scale")) {
    p.scale = t.positive("scale");
  }
  if (!t.has("unmix")) return;
  p.unmix = t.positives("unmix", 1, "unmix = { Au = 0.095 }");
  if (!element.empty() && !p.unmix.contains(element)) return;
  throw t.error("unmix", "shares of other elements than the `element` of the site",
                element.empty() ? "no key element" : element);
}

void read_preparation(const StudyTable& t, Preparation& p) {
  if (t.has("saturation")) p.saturation = t.positive("saturation");
  if (t.has("zingers")) p.zingers = t.positive("zingers");
  if (t.has("normalize")) {
    p.normalize = t.choice("normalize", {"auto", "flat", "monitor", "air", "none"});
  }
  if (t.has("air")) p.air = t.whole("air", 1, kMostBeamlets);
  if ((p.normalize == "air") != (p.air > 0)) {
    throw t.error("air", "normalize = \"air\" and the number of beamlets, air = 10",
                  "only one of them");
  }
  read_clipping(t, p);
  if (t.has("minus_log")) p.minus_log = t.boolean("minus_log");
  if (t.has("bad_values")) p.bad_values = t.choice("bad_values", {"error", "mask"});
  if (t.has("rings")) p.rings = t.whole("rings", 3, kMostBeamlets);
  read_beam(t, p);
}

// Accepts the format of `firm pki`: ignores spaces and case.
std::string read_key(const StudyTable& t) {
  std::string digits;
  for (const char c : t.text("key")) {
    if (c != ' ') digits.push_back(static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
  }
  const auto hexadecimal = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (digits.size() == 64 && std::ranges::all_of(digits, hexadecimal)) return digits;
  throw t.error("key", "64 hexadecimal digits, as firm pki request shows them",
                fmt::format("\"{}\"", t.text("key")));
}

SiteEntry read_site(const StudyTable& t, const std::vector<SiteEntry>& before) {
  SiteEntry site;
  site.line = t.line();
  read_name(t, before, site);
  read_kind(t, site);
  read_scan(t, site);
  read_source(t, site);
  read_coefficient(t, site);
  site.fluorescence = read_fluorescence(t);
  read_noise(t, site);
  read_geometry(t, site);
  read_preparation(t, site.prepare);
  read_scale(t, site.element, site.prepare);
  if (t.has("key")) site.key = read_key(t);
  if (site.kind != "xrt") return site;
  const auto xrt = std::ranges::find(before, "xrt", &SiteEntry::kind);
  if (xrt == before.end()) return site;
  throw t.error("kind", "one site of kind \"xrt\"",
                fmt::format("a second one; the first is in line {}", xrt->line));
}

}  // namespace

std::vector<SiteEntry> read_sites(const std::string& path, const toml::table& root) {
  const char* expected = "one table [[site]] per site, in double brackets";
  const toml::node* node = root.get("site");
  if (node == nullptr) {
    throw usage_error({place(path, line_of(root)), "[[site]]", expected, "none"});
  }
  const toml::array* tables = node->as_array();
  if (tables == nullptr || !node->is_array_of_tables()) {
    throw usage_error({place(path, line_of(*node)), "[[site]]", expected,
                       node->is_table() ? "[site]; write [[site]]" : describe_value(*node)});
  }
  if (tables->size() > kMostSites) {
    throw usage_error({place(path, line_of(*tables->get(kMostSites))), "[[site]]",
                       fmt::format("at most {} sites", kMostSites),
                       fmt::format("{}", tables->size())});
  }
  std::vector<SiteEntry> sites;
  for (std::size_t k = 0; k < tables->size(); ++k) {
    const StudyTable table(path, fmt::format("site[{}].", k), *tables->get(k)->as_table(), kKeys);
    sites.push_back(read_site(table, sites));
  }
  return sites;
}

}  // namespace firm
