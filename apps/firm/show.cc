#include "show.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "run/absorption_text.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

// "chunk 2 / 3, round 1234 / 10133  f 3.1e-08  ||Dw|| 2.1e-03  KKT 1.2e-05  0:12, at most 0:48 to
// go"
std::string round_text(const RoundRecord& r, int limit, const RemainingTime::Chunk& chunk,
                       const std::optional<TimeLeft>& left) {
  std::string text;
  if (chunk.of > 1) text = fmt::format("chunk {} / {}, ", chunk.number + 1, chunk.of);
  text += fmt::format("round {} / {}  f {:.3e}", r.round, limit, r.objective);
  if (r.violation) text += fmt::format("  ||Dw|| {:.1e}", *r.violation);
  text += fmt::format("  KKT {:.1e}  {}", r.kkt, duration(r.seconds));
  if (left) {
    text +=
        fmt::format(", {} {} to go", left->at_most ? "at most" : "about", duration(left->seconds));
  }
  return text;
}

void print_json(const char* type, const Json& json) {
  Json line = {{"type", type}};
  line.update(json);
  fmt::print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::fflush(stdout);
}

}  // namespace

void add_show_options(CLI::App& verb, ShowOptions& o) {
  verb.add_flag("--quiet", o.quiet, "Print only errors, and the address of the dashboard");
  verb.add_flag("--json", o.json,
                "Print JSON instead of text, one document per line: events, rounds as in\n"
                "history.jsonl, and finally summary.json");
  verb.add_option(
      "--dashboard", o.dashboard,
      "Show the run live in a browser, on PORT or HOST:PORT (default HOST: 127.0.0.1, which\n"
      "only this machine can reach). See docs/dashboard.md");
}

Show::Show(const std::string& kind, const ShowOptions& options) : options_(options) {
  if (!options.quiet) line_.emplace();
  if (options.dashboard.empty()) return;
  dashboard_.emplace(kind, options.dashboard);
  ProgressLine always;
  always.print_event("dashboard: " + dashboard_->url());
  if (!dashboard_->warning().empty()) always.print_event(dashboard_->warning());
}

void Show::event(const std::string& text, const std::string& name) {
  if (line_) line_->print_event(name.empty() ? text : fmt::format("{}: {}", name, text));
  if (options_.json) print_json("event", {{"text", text}});
  if (dashboard_) dashboard_->run().add_message(text);
}

void Show::watch(RunCallbacks& callbacks, const std::string& name) {
  callbacks.interrupted = interrupt_requested;
  if (line_) callbacks.progress = line_->callback();
  callbacks.on_event = [this, name](const std::string& text) { event(text, name); };
  callbacks.on_start = [this](const RunStart& start) {
    remaining_time_.start({start.chunk, start.chunks, start.options.stop.seconds}, worked());
  };
  callbacks.on_round = [this](const RoundRecord& r, int limit, const std::string& text) {
    const std::optional<TimeLeft> left = remaining_time_.left(r, worked());
    line([&] { return round_text(r, limit, remaining_time_.chunk(), left); });
    if (options_.json) print_json("round", Json::parse(text));
  };
  callbacks.on_absorption = [this, name](const AbsorptionSummary& round) {
    event(absorption_round_text(round), name);
  };
  if (dashboard_) dashboard_->watch(callbacks);
}

void Show::end(const std::string& state, const std::string& stage, const std::string& directory) {
  line_.reset();
  if (options_.json && !directory.empty()) {
    std::ifstream in(std::filesystem::path(directory) / "summary.json");
    const Json summary = Json::parse(in, nullptr, false);
    if (summary.is_object()) print_json("summary", summary);
  }
  if (dashboard_) dashboard_->end(state, stage, directory);
}

}  // namespace firm
