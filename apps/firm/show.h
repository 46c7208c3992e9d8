// Shows a long run: a progress line, lines of JSON, a dashboard.
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
  std::string dashboard;  // PORT or HOST:PORT; empty: no dashboard
};

// Adds --quiet, --json and --dashboard.
void add_show_options(CLI::App& verb, ShowOptions& options);

class Show {
 public:
  // `kind` is recon, site or coordinator. Throws firm::Error when the dashboard cannot listen.
  Show(const std::string& kind, const ShowOptions& options);

  // Sets callbacks for progress, events, rounds and Ctrl-C. `name` is printed before events.
  void watch(RunCallbacks& callbacks, const std::string& name = "");
  void event(const std::string& text, const std::string& name = "");
  void line(const std::function<std::string()>& make) {
    if (line_) line_->show_text(make);
  }
  Dashboard* dashboard() { return dashboard_ ? &*dashboard_ : nullptr; }

  // Calls `work` and shows its failure on the dashboard.
  template <typename Work>
  auto run(const Work& work) {
    try {
      return work();
    } catch (const std::exception& error) {
      end("failed", error.what(), "");
      throw;
    }
  }
  // Call at the end of the run, before printing results. With --json it prints the summary in
  // `directory`, which is empty for a run that failed or stopped before writing one.
  void end(const std::string& state, const std::string& stage, const std::string& directory);
  bool prints_text() const { return !options_.quiet && !options_.json; }

 private:
  // Seconds of the run, without pauses.
  double worked() { return dashboard_ ? dashboard_->run().worked() : watch_.seconds(); }

  ShowOptions options_;
  std::optional<ProgressLine> line_;
  std::optional<Dashboard> dashboard_;
  Stopwatch watch_;
  RemainingTime remaining_time_;
};

}  // namespace firm
