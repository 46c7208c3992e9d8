#include "prep/scale_check.h"

#include <fmt/format.h>

#include <cmath>

#include "firm/error.h"
#include "io/formats/data_units.h"
#include "prep/steps/binning.h"

namespace firm {
namespace {

// Whether the values are whole numbers of at least 0, not all 0.
bool look_like_counts(const SiteSource& s) {
  const std::size_t row = static_cast<std::size_t>(s.entry.first_slice) +
                          static_cast<std::size_t>(s.file.slices) / 2 * s.binning();
  bool any = false;
  const Block slice = read_binned(*s.scan.data, {row, 1, 1}).values;
  for (const float value : slice.values()) {
    if (!std::isfinite(value)) continue;
    if (value < 0 || value != std::floor(value)) return false;
    any = any || value > 0;
  }
  return any;
}

}  // namespace

void refuse_counts(const SiteSource& s) {
  if (s.entry.kind != "xrf" || s.entry.prepare.scale || s.entry.prepare.find_scale ||
      !s.entry.coupled) {
    return;
  }
  const Frames::Facts& facts = s.scan.data->facts();
  const bool counts = is_unit_of_counts(facts.units);
  if (!counts && (xrf_unit(facts.units).warning.empty() || !look_like_counts(s))) return;
  const std::string found =
      counts ? fmt::format("\"{}\"", facts.units)
      : facts.units.empty()
          ? "no unit, and whole numbers, which are counts"
          : fmt::format("\"{}\", and whole numbers, which are counts", facts.units);
  throw data_error(
      {s.scan.file, facts.path + "@units",
       fmt::format("an area density such as \"g/cm^2\", or the key scale of {}", s.mention()),
       fmt::format("{}; set scale to the number that converts them to g/cm^2, which firm calibrate "
                   "finds, or scale = \"auto\" to find it in the run",
                   found)});
}

void require_scale(const SiteSource& s) {
  if (s.entry.kind != "xrf" || !s.entry.prepare.find_scale) return;
  throw data_error({s.mention(), "scale", "a number, because nothing has found scale = \"auto\"",
                    "\"auto\"; firm calibrate finds the number"});
}

}  // namespace firm
