// How a verb that runs for long shows what it does: a progress line, lines of JSON, a dashboard.
#pragma once

#include <CLI/App.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "core/timing.h"
#include "live/dashboard.h"
#include "run/remaining_time.h"
#include "run/run_callbacks.h"
#include "terminal.h"

namespace firm {

struct ShowOptions {
  bool quiet = false;
  bool json = false;
  std::string dashboard;  // where it listens; empty: none
};

// --quiet, --json and --dashboard.
void add_show_options(CLI::App& verb, ShowOptions& options);

class Show {
 public:
  // `kind` of the run: recon, site, coordinator. Throws firm::Error when there can be no dashboard.
  Show(const std::string& kind, const ShowOptions& options);

  // Progress, events and rounds; Ctrl-C. `name` stands before events.
  void watch(RunCallbacks& callbacks, const std::string& name = "");
  void event(const std::string& text, const std::string& name = "");
  void line(const std::function<std::string()>& make) {
    if (line_) line_->show_text(make);
  }
  Dashboard* dashboard() { return dashboard_ ? &*dashboard_ : nullptr; }

  // Does the work; a dashboard gets to know how it fails.
  template <typename Work>
  auto run(const Work& work) {
    try {
      return work();
    } catch (const std::exception& error) {
      end("failed", error.what(), "");
      throw;
    }
  }
  // The run is over; with --json, the summary in `directory` is printed. Empty: the run has failed,
  // or was stopped before it wrote one. What follows is for people.
  void end(const std::string& state, const std::string& stage, const std::string& directory);
  bool speaks_to_people() const { return !options_.quiet && !options_.json; }

 private:
  // Seconds, without pauses.
  double worked() { return dashboard_ ? dashboard_->run().worked() : watch_.seconds(); }

  ShowOptions options_;
  std::optional<ProgressLine> line_;
  std::optional<Dashboard> dashboard_;
  Stopwatch watch_;
  RemainingTime remaining_time_;
};

}  // namespace firm
