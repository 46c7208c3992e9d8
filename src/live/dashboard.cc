#include "live/dashboard.h"

#include <fmt/format.h>

#include <thread>

#include "firm/version.h"
#include "live/finished_runs.h"
#include "live/live_feed.h"
#include "live/round_values.h"
#include "live/server.h"
#include "run/report/report_sections.h"
#include "run/store/refined_json.h"
#include "run/store/run_json.h"

namespace firm {
namespace {

// Open pages have this long to fetch the report after the end of the run.
constexpr double kReportSeconds = 10;
constexpr double kSilentSeconds = 2;

std::vector<SiteTargets> residual_targets(const RunStart& start) {
  const double s = start.options.stop.discrepancy;
  if (!(s > 0)) return {};
  std::vector<SiteTargets> targets = start.full_scales;
  for (SiteTargets& of_chunk : targets) {
    for (auto& [site, target] : of_chunk) target *= s;
  }
  return targets;
}

// Makes `callback` call `handler` after what it called before.
template <typename... Arguments, typename Handler>
void add(std::function<void(Arguments...)>& callback, Handler handler) {
  callback = [before = std::move(callback), handler](Arguments... arguments) {
    if (before) before(arguments...);
    handler(arguments...);
  };
}

// The events of a run for one page: first the document, then the changes.
class RunEvents : public EventStream {
 public:
  RunEvents(LiveRun& run, LiveFeed& feed) : run_(run), feed_(feed) { run_.add_watcher(1); }
  ~RunEvents() override { run_.add_watcher(-1); }
  RunEvents(const RunEvents&) = delete;
  RunEvents& operator=(const RunEvents&) = delete;

  Events next() override {
    if (!begun_) {
      begun_ = true;
      return {fmt::format("event: document\ndata: {}\n\n", feed_.document(&cursor_))};
    }
    LiveFeed::Events events = feed_.wait(cursor_, std::chrono::milliseconds(0));
    // Writing a comment finds out whether the page still listens.
    if (events.text.empty() && silence_.seconds() > kSilentSeconds) events.text = ":\n\n";
    if (!events.text.empty()) silence_ = Stopwatch();
    return {std::move(events.text), events.last};
  }

 private:
  LiveRun& run_;
  LiveFeed& feed_;
  bool begun_ = false;
  std::uint64_t cursor_ = 0;
  Stopwatch silence_;
};

}  // namespace

class Dashboard::Impl {
 public:
  Impl(LiveRun& run, const std::string& address)
      : run_(run), feed_(run), server_(parse_listen_address("--dashboard", address), source()) {}

  const Server& server() const { return server_; }

  // Returns when all open pages have fetched the final document. Counts the pages before they can
  // learn of the end.
  void end(const std::string& state, const std::string& stage, std::string document) {
    const int pages = run_.watchers();
    over_ = true;
    run_.end(state, stage, std::move(document));
    feed_.publish();
    const Stopwatch watch;
    while (reports_sent_ < pages && watch.seconds() < kReportSeconds) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

 private:
  ServerSource source() {
    ServerSource source;
    source.document = [this] { return feed_.document(); };
    source.document_sent = [this] {
      if (over_) ++reports_sent_;
    };
    source.images = [this] { return run_.images().json(); };
    source.metrics = [this] { return feed_.metrics(); };
    source.control = [this](const std::string& command) {
      const bool done =
          command == "stop" ? run_.request_stop() : run_.set_paused(command == "pause");
      if (done) feed_.publish();
      return done;
    };
    source.events = [this] { return std::make_unique<RunEvents>(run_, feed_); };
    return source;
  }

  LiveRun& run_;
  LiveFeed feed_;
  std::atomic<bool> over_ = false;
  std::atomic<int> reports_sent_ = 0;
  Server server_;
};

Dashboard::Dashboard(const std::string& kind, const std::string& address)
    : run_(kind), impl_(std::make_unique<Impl>(run_, address)) {}

Dashboard::~Dashboard() = default;

std::string Dashboard::url() const { return impl_->server().url(); }

std::string Dashboard::warning() const {
  return exposure_warning(impl_->server().address(), "watch and stop the run");
}

nlohmann::ordered_json Dashboard::first_summary(const StudyFile& study,
                                                const SolveOptions& options) {
  return {{"study", study.name},
          {"version", kVersion},
          {"method", options.method},
          {"options", options_json(options)}};
}

void Dashboard::watch(RunCallbacks& callbacks) {
  add(callbacks.progress, [this](const std::string& stage, double) {
    run_.set_state(stage.starts_with("reading") ? "reading" : "writing", stage);
  });
  add(callbacks.on_start, [this](const RunStart& start) {
    names_ = start.names;
    remaining_time_.start({start.chunk, start.chunks, start.options.stop.seconds}, run_.worked());
    nlohmann::ordered_json summary = first_summary(start.study, start.options);
    if (start.refined != nullptr) summary["refined"] = refined_json(*start.refined);
    run_.start({.study = study_json(start.study),
                .summary = std::move(summary),
                .curves = round_curves(start.names),
                .history = start.history,
                .chunk = start.chunk,
                .chunks = start.chunks,
                .residual_targets = residual_targets(start)});
  });
  add(callbacks.on_prior, [this](const PriorSummary& prior) {
    run_.add_to_summary({{"prior", prior_json(prior)}});
  });
  add(callbacks.on_absorption, [this](const AbsorptionSummary& round) {
    nlohmann::ordered_json keys = absorption_json(round);
    keys.erase("kept_fraction");  // measured at the end of the run
    run_.add_to_summary(keys);
  });
  const std::function<bool()> interrupted = callbacks.interrupted;
  const auto tell = [on_event = callbacks.on_event](const std::string& line) {
    if (on_event) on_event(line);
  };
  add(callbacks.on_round,
      [this, interrupted, tell](const RoundRecord& record, int limit, const std::string& line) {
        run_.add_round(limit, {record.round, record.seconds, round_values(record, line, names_)},
                       remaining_time_.left(record, run_.worked()));
        run_.wait_while_paused(interrupted, tell);
      });
  callbacks.paused_seconds = [this] { return run_.paused_seconds(); };
  callbacks.wants_images = [this] { return run_.wants_images(); };
  callbacks.on_images = [this](const ImagesNow& now) { run_.images().update(now); };
  callbacks.interrupted = [this, interrupted] {
    return run_.stop_requested() || (interrupted && interrupted());
  };
}

void Dashboard::end(const std::string& state, const std::string& stage,
                    const std::string& directory) {
  impl_->end(state, stage, directory.empty() ? "" : saved_document(directory));
}

}  // namespace firm
