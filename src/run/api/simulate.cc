// Implements simulate_study() of include/firm/tools.h.
#include "sim/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <variant>

#include "core/closest_name.h"
#include "firm/error.h"
#include "firm/tools.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

using Target = std::variant<std::string*, bool*, int*, double*, std::uint64_t*>;

// An option of `firm simulate`.
struct Row {
  const char* name;
  Target target;
};

struct Options {
  SimulateOptions simulate = {};
  // NaN: the one that suits the preset.
  double pixel_size_um = std::numeric_limits<double>::quiet_NaN();

  std::vector<Row> rows() {
    SimulateOptions& o = simulate;
    Defects& d = o.defects;
    return {{"preset", &o.preset},
            {"size", &o.size},
            {"angles", &o.angles},
            {"slices", &o.slices},
            {"noise", &o.noise},
            {"seed", &o.seed},
            {"pixel-size", &pixel_size_um},
            {"counts", &o.counts},
            {"jitter", &d.jitter},
            {"drift", &d.drift},
            {"vertical-jitter", &d.vertical_jitter},
            {"axis-offset", &d.axis_offset},
            {"angle-error", &d.angle_error},
            {"lag", &d.lag},
            {"beam-drift", &d.beam_drift},
            {"crosstalk", &d.crosstalk},
            {"self-absorption", &o.self_absorption},
            {"xrf-counts", &o.xrf_counts},
            {"threads", &o.threads}};
  }
};

template <typename T>
void set_number(const char* name, const std::string& text, T& target) {
  const char* end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, target);
  if (failure == std::errc() && at == end) return;
  throw usage_error({"simulate", name, std::is_same_v<T, double> ? "a number" : "a whole number",
                     "'" + text + "'"});
}

void set_target(const Row& row, const std::string& text) {
  std::visit(
      [&](auto* target) {
        if constexpr (std::is_same_v<decltype(target), std::string*>) {
          *target = text;
        } else if constexpr (std::is_same_v<decltype(target), bool*>) {
          if (text != "true" && text != "false") {
            throw usage_error({"simulate", row.name, "true or false", "'" + text + "'"});
          }
          *target = text == "true";
        } else {
          set_number(row.name, text, *target);
        }
      },
      row.target);
}

void set_option(Options& options, const std::string& key, const std::string& text) {
  const std::vector<Row> rows = options.rows();
  const auto row = std::ranges::find(rows, key, [](const Row& r) { return std::string(r.name); });
  if (row != rows.end()) return set_target(*row, text);
  std::vector<std::string> names;
  for (const Row& r : rows) names.emplace_back(r.name);
  throw usage_error({"simulate", "", "an option of firm simulate",
                     fmt::format("'{}'{}", key, did_you_mean(key, names))});
}

}  // namespace

std::vector<std::string> simulate_study(
    const std::string& directory, const std::vector<std::pair<std::string, std::string>>& given,
    const Observer& observer) {
  Options options;
  for (const auto& [key, text] : given) set_option(options, key, text);
  SimulateOptions& o = options.simulate;
  o.pixel_size = !std::isnan(options.pixel_size_um)
                     ? options.pixel_size_um * kMicrometre
                     : default_pixel_size(o.preset, o.size, o.self_absorption);
  o.validate();
  return write_simulation(simulate(o, observer.progress), directory, observer.progress);
}

}  // namespace firm
