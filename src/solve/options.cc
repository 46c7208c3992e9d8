#include "firm/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <variant>

#include "core/closest_name.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

// What a run can refine; align/refine_choice.h has the meaning.
std::vector<std::string> refine_names() {
  return {"shifts", "shifts-vertical", "axis", "angles", "lag", "gain", "scale"};
}

// Limits of a number; `above`: the lower limit is excluded.
struct Limits {
  double low = 0;
  bool above = false;
  double high = kAny;  // excluded
};

// Location of a value within SolveOptions.
using Member =
    std::variant<std::function<int&(SolveOptions&)>, std::function<double&(SolveOptions&)>,
                 std::function<bool&(SolveOptions&)>, std::function<std::string&(SolveOptions&)>,
                 std::function<std::uint64_t&(SolveOptions&)>>;

struct Entry {
  std::string key;
  Member member;
  Limits limits;
  std::vector<std::string> choices;
  std::string help;
  std::string zero_word = {};  // of a number: stands for 0, which the limits exclude
  bool list = false;           // several choices, separated by commas
};

template <typename T, typename Group>
std::function<T&(SolveOptions&)> in(Group SolveOptions::*group, T Group::*member) {
  return [=](SolveOptions& o) -> T& { return o.*group.*member; };
}

template <typename T>
std::function<T&(SolveOptions&)> in(T SolveOptions::*member) {
  return [=](SolveOptions& o) -> T& { return o.*member; };
}

std::vector<Entry> make_table() {
  using S = SolveOptions;
  constexpr Limits kFromZero{0, false, kAny};
  constexpr Limits kAboveZero{0, true, kAny};
  return {
      {"method", in(&S::method), {}, method_names(), "how to solve; see docs/method.md"},
      {"stop.rounds",
       in(&S::stop, &StopOptions::rounds),
       kFromZero,
       {},
       "stop after this many rounds; 0: the method's own limit"},
      {"stop.seconds",
       in(&S::stop, &StopOptions::seconds),
       kFromZero,
       {},
       "stop after this time, added up over resumes; 0: no limit"},
      {"stop.objective",
       in(&S::stop, &StopOptions::objective),
       kFromZero,
       {},
       "stop when f(w) is not above this; 0: off"},
      {"stop.discrepancy",
       in(&S::stop, &StopOptions::discrepancy),
       kFromZero,
       {},
       "noise level s: stop when ||A w_i - b_i|| <= max(b_i) sqrt(m) s at every site; 0: off. With "
       "a prior it only tells the noise"},
      {"stop.kkt",
       in(&S::stop, &StopOptions::kkt),
       kFromZero,
       {},
       "stop when the optimality conditions hold to this relative accuracy; 0: off"},
      {"stop.change",
       in(&S::stop, &StopOptions::change),
       kFromZero,
       {},
       "stop when f(w) changes by less than this part of itself in a round; 0: off"},
      {"stop.step",
       in(&S::stop, &StopOptions::step),
       kFromZero,
       {},
       "stop when ||w - w_before|| is not above this (depends on units); 0: off"},
      {"stop.noise",
       in(&S::stop, &StopOptions::noise),
       kFromZero,
       {},
       "stop when every site fits its data no faster than noise; larger: smoother images (default: "
       "0.5 where sigma is known and no other rule is set)"},
      {"firm.hold",
       in(&S::firm, &FirmOptions::hold),
       kFromZero,
       {},
       "firm, firm+: rounds at r = 1 before the step shrinks"},
      {"firm.ratio",
       in(&S::firm, &FirmOptions::ratio),
       {0, true, 1},
       {},
       "firm, firm+: r, by which the step shrinks"},
      {"firm.eps",
       in(&S::firm, &FirmOptions::eps),
       kAboveZero,
       {},
       "firm, firm+: end when the step is below this"},
      {"firm.step_scale",
       in(&S::firm, &FirmOptions::step_scale),
       kAboveZero,
       {},
       "firm, firm+: gamma, first step gamma 3 / (4 lambda_max)"},
      {"firm.rule",
       in(&S::firm, &FirmOptions::rule),
       {},
       {"paper", "relative"},
       "firm, firm+: tolerances as in the paper, or free of units"},
      {"fedpgd.step_scale",
       in(&S::fedpgd, &FedPgdOptions::step_scale),
       kAboveZero,
       {},
       "fedpgd: gamma, step gamma 3 / (4 lambda_max)"},
      {"fedpgd.accelerated",
       in(&S::fedpgd, &FedPgdOptions::accelerated),
       {},
       {},
       "fedpgd: with momentum (FISTA with restart)"},
      {"pgd.step_scale",
       in(&S::pgd, &PgdOptions::step_scale),
       kAboveZero,
       {},
       "pgd: gamma, step gamma 3 / (4 lambda_max)"},
      {"pgd.accelerated",
       in(&S::pgd, &PgdOptions::accelerated),
       {},
       {},
       "pgd: with momentum (FISTA with restart)"},
      {"plsqr.tolerance",
       in(&S::plsqr, &PlsqrOptions::tolerance),
       kFromZero,
       {},
       "plsqr: end when ||A^T r|| <= tolerance ||A|| ||r||, or ||r|| <= tolerance ||b||"},
      {"ds.local_steps",
       in(&S::ds, &DsOptions::local_steps),
       {0, false, 1e6},
       {},
       "firm-ds: local steps per round; 0: 8 with stop.discrepancy and no prior, an eighth of "
       "those "
       "taken so far with stop.noise, else 75"},
      {"prior.kind",
       in(&S::prior, &PriorOptions::kind),
       {},
       {"none", "tv"},
       "firm-ds, pgd: tv prefers images of few and short edges (total variation)"},
      {"prior.strength",
       in(&S::prior, &PriorOptions::strength),
       kAboveZero,
       {},
       "strength of the prior, no unit; larger: smoother; auto: found from rays left out",
       "auto"},
      {"prior.inner",
       in(&S::prior, &PriorOptions::inner),
       {1, false, 10001},
       {},
       "steps of the prior within each step"},
      {"prior.slices",
       in(&S::prior, &PriorOptions::slices),
       {},
       {},
       "the prior also compares neighbouring slices ([image] slice_spacing apart)"},
      {"absorption.rounds",
       in(&S::absorption, &AbsorptionOptions::rounds),
       {0, false, 101},
       {},
       "self-absorption: how often it is computed from the images, at most; 0: ignore it"},
      {"absorption.grid",
       in(&S::absorption, &AbsorptionOptions::grid),
       {},
       {"0", "1", "2", "4"},
       "self-absorption: pixels along a side of the squares in which it is constant; 0: 2 from\n"
       "256 x 256 pixels on, else 1"},
      {"absorption.start",
       in(&S::absorption, &AbsorptionOptions::start),
       {},
       {"auto", "xrt", "plain"},
       "self-absorption: first images, scaled to add up to XRT alone (xrt), or not (plain)"},
      {"refine",
       in(&S::refine),
       {},
       refine_names(),
       "numbers of the scans to find from the data before solving (docs/data.md)",
       {},
       true},
      {"chunks",
       in(&S::chunks),
       {1, false, 1000001},
       {},
       "firm recon: solve the slices in so many parts, one after another; --max-memory chooses"},
      {"threads", in(&S::threads), {0, false, 4096}, {}, "threads; 0: all"},
      {"seed",
       in(&S::seed),
       kFromZero,
       {},
       "selects the rays that are left out to find prior.strength"},
  };
}

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = make_table();
  return entries;
}

std::string limits_text(const Limits& limits) {
  std::string text =
      limits.above ? fmt::format("above {}", limits.low) : fmt::format("from {} on", limits.low);
  if (limits.high < kAny) text += fmt::format(" and below {}", limits.high);
  return text;
}

std::string expectation(const Entry& e) {
  if (e.list) return fmt::format("none, or some of {}, with commas", fmt::join(e.choices, ", "));
  if (!e.choices.empty()) return fmt::format("one of {}", fmt::join(e.choices, ", "));
  if (std::holds_alternative<std::function<bool&(SolveOptions&)>>(e.member)) return "true or false";
  const bool real = std::holds_alternative<std::function<double&(SolveOptions&)>>(e.member);
  return fmt::format("{}a {} {}", e.zero_word.empty() ? "" : e.zero_word + " or ",
                     real ? "number" : "whole number", limits_text(e.limits));
}

bool within(const Limits& limits, double value) {
  return std::isfinite(value) && (limits.above ? value > limits.low : value >= limits.low) &&
         value < limits.high;
}

template <typename T>
std::optional<T> parse_number(const std::string& text, const Limits& limits) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole_text = error == std::errc() && end == text.data() + text.size();
  if (!whole_text || !within(limits, static_cast<double>(value))) return {};
  return value;
}

// Format a value as text and set it from text; one overload for each type of member.
bool assign(const Entry& e, int& to, const std::string& text) {
  if (!e.choices.empty() && std::ranges::find(e.choices, text) == e.choices.end()) return false;
  const auto value = parse_number<int>(text, e.limits);
  if (value) to = *value;
  return value.has_value();
}
bool assign(const Entry& e, std::uint64_t& to, const std::string& text) {
  const auto value = parse_number<std::uint64_t>(text, e.limits);
  if (value) to = *value;
  return value.has_value();
}
bool assign(const Entry& e, double& to, const std::string& text) {
  if (!e.zero_word.empty() && text == e.zero_word) {
    to = 0;
    return true;
  }
  const auto value = parse_number<double>(text, e.limits);
  if (value) to = *value;
  return value.has_value();
}
bool assign(const Entry& /*e*/, bool& to, const std::string& text) {
  if (text != "true" && text != "false") return false;
  to = text == "true";
  return true;
}
bool assign_list(const Entry& e, std::string& to, const std::string& text) {
  std::string rest = text + ",";
  for (std::size_t comma = 0; text != "none" && !rest.empty(); rest.erase(0, comma + 1)) {
    comma = rest.find(',');
    if (std::ranges::find(e.choices, rest.substr(0, comma)) == e.choices.end()) return false;
  }
  to = text;
  return true;
}
bool assign(const Entry& e, std::string& to, const std::string& text) {
  if (e.list) return assign_list(e, to, text);
  if (std::find(e.choices.begin(), e.choices.end(), text) == e.choices.end()) return false;
  to = text;
  return true;
}

// Suggests the key that `key` is meant to be: one whose group is missing, as in "kkt", or a similar
// one.
std::string suggest_key(const std::string& key, const std::vector<std::string>& keys) {
  std::vector<std::string> of_groups;
  for (const std::string& known : keys) {
    if (known.ends_with("." + key)) of_groups.push_back(known);
  }
  if (of_groups.empty()) return did_you_mean(key, keys);
  return fmt::format(" (did you mean {}?)", fmt::join(of_groups, " or "));
}

Error unknown_key(const std::string& where, const std::string& key) {
  std::vector<std::string> keys;
  for (const Entry& e : table()) keys.push_back(e.key);
  return usage_error({where, "option", fmt::format("one of {}", fmt::join(keys, ", ")),
                      fmt::format("'{}'{}", key, suggest_key(key, keys))});
}

// Values that are words.
std::vector<std::string> words_for(const Entry& e) {
  const bool flag = std::holds_alternative<std::function<bool&(SolveOptions&)>>(e.member);
  if (!e.zero_word.empty()) return {e.zero_word};
  return flag ? std::vector<std::string>{"true", "false"} : e.choices;
}

}  // namespace

std::vector<OptionText> describe_options(const SolveOptions& options) {
  SolveOptions copy = options;
  std::vector<OptionText> texts;
  for (const Entry& e : table()) {
    std::string value =
        std::visit([&](const auto& member) { return fmt::format("{}", member(copy)); }, e.member);
    if (!e.zero_word.empty() && value == "0") value = e.zero_word;
    texts.push_back({e.key, value, e.help, expectation(e)});
  }
  return texts;
}

void set_option(SolveOptions& options, const std::string& where, const std::string& key,
                const std::string& value) {
  const auto entry =
      std::find_if(table().begin(), table().end(), [&](const Entry& e) { return e.key == key; });
  if (entry == table().end()) throw unknown_key(where, key);
  const bool ok = std::visit(
      [&](const auto& member) { return assign(*entry, member(options), value); }, entry->member);
  if (ok) return;
  throw usage_error({where, key, expectation(*entry),
                     fmt::format("'{}'{}", value, did_you_mean(value, words_for(*entry)))});
}

}  // namespace firm
