#include "live/dashboard.h"

#include <fmt/format.h>

#include <limits>
#include <thread>

#include "firm/version.h"
#include "live/finished_runs.h"
#include "live/live_feed.h"
#include "live/server.h"
#include "run/report/report_parts.h"
#include "run/store/run_json.h"

namespace firm {
namespace {

// Pages that are open get the report within this time after the end.
constexpr double kFarewellSeconds = 10;
constexpr std::chrono::milliseconds kPatience(2000);

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kOther = "other";  // has no data, and no residual

// What history.jsonl has of a round, in its order; and the values.
std::vector<CurveName> curves_of(const std::vector<std::string>& names) {
  std::vector<CurveName> curves;
  for (const char* key :
       {"objective", "step_norm", "constraint_violation", "kkt", "step_size", "error_to_truth"}) {
    curves.push_back({key, ""});
  }
  for (const std::string& name : names) {
    if (name != kOther) curves.push_back({"residual", name});
  }
  return curves;
}

std::vector<double> values_of(const RoundRecord& r, const std::vector<std::string>& names) {
  std::vector<double> values = {r.objective,
                                r.step_norm,
                                r.violation.value_or(kNotKnown),
                                r.kkt,
                                r.step_size > 0 ? r.step_size : kNotKnown,
                                r.error.value_or(kNotKnown)};
  for (std::size_t v = 0; v < names.size(); ++v) {
    if (names[v] != kOther) values.push_back(r.residuals[v]);
  }
  return values;
}

std::vector<SiteLevels> levels_of(const RunStart& start) {
  const double s = start.options.stop.discrepancy;
  if (!(s > 0)) return {};
  std::vector<SiteLevels> levels = start.full_scales;
  for (SiteLevels& of_chunk : levels) {
    for (auto& [site, level] : of_chunk) level *= s;
  }
  return levels;
}

// Calls what was there before, then `more`.
template <typename... Arguments, typename More>
void add(std::function<void(Arguments...)>& callback, More more) {
  callback = [before = std::move(callback), more](Arguments... arguments) {
    if (before) before(arguments...);
    more(arguments...);
  };
}

}  // namespace

class Dashboard::Impl {
 public:
  Impl(LiveRun& run, const std::string& where)
      : run_(run), feed_(run), server_(parse_listen_address("--dashboard", where), source()) {}
  ~Impl() { feed_.close(); }

  const Server& server() const { return server_; }

  // Returns when the pages that are open have asked for the document of the end. They are counted
  // before they can hear of it.
  void end(const std::string& state, const std::string& stage, std::string document) {
    const int pages = run_.watchers();
    over_ = true;
    run_.end(state, stage, std::move(document));
    feed_.publish();
    const Stopwatch watch;
    while (farewells_ < pages && watch.seconds() < kFarewellSeconds) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

 private:
  ServerSource source() {
    ServerSource source;
    source.document = [this] { return feed_.document(); };
    source.document_sent = [this] {
      if (over_) ++farewells_;
    };
    source.images = [this] { return run_.images().json(); };
    source.metrics = [this] { return feed_.metrics(); };
    source.control = [this](const std::string& command) {
      const bool done =
          command == "stop" ? run_.request_stop() : run_.set_paused(command == "pause");
      if (done) feed_.publish();
      return done;
    };
    source.events = [this](const auto& write) { tell(write); };
    return source;
  }

  void tell(const std::function<bool(const std::string&)>& write) {
    run_.add_watcher(1);
    std::uint64_t cursor = 0;
    bool more = write(fmt::format("event: document\ndata: {}\n\n", feed_.document(&cursor)));
    while (more) {
      const LiveFeed::Events events = feed_.wait(cursor, kPatience);
      // A comment finds out whether anybody still listens.
      more = write(events.text.empty() ? ":\n\n" : events.text) && !events.last;
    }
    run_.add_watcher(-1);
  }

  LiveRun& run_;
  LiveFeed feed_;
  std::atomic<bool> over_ = false;
  std::atomic<int> farewells_ = 0;
  Server server_;
};

Dashboard::Dashboard(const std::string& kind, const std::string& where)
    : run_(kind), impl_(std::make_unique<Impl>(run_, where)) {}

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
    run_.start({.study = study_json(start.study),
                .summary = first_summary(start.study, start.options),
                .curves = curves_of(start.names),
                .history = start.history,
                .chunk = start.chunk,
                .chunks = start.chunks,
                .levels = levels_of(start)});
  });
  const std::function<bool()> interrupted = callbacks.interrupted;
  add(callbacks.on_round,
      [this, interrupted](const RoundRecord& record, int limit, const std::string&) {
        run_.add_round(limit, {record.round, record.seconds, values_of(record, names_)},
                       remaining_time_.left(record, run_.worked()));
        run_.wait_while_paused(interrupted);
      });
  callbacks.wants_images = [this] { return run_.wants_images(); };
  callbacks.on_images = [this](const ImagesNow& now) { run_.images().take(now); };
  callbacks.interrupted = [this, interrupted] {
    return run_.stop_requested() || (interrupted && interrupted());
  };
}

void Dashboard::end(const std::string& state, const std::string& stage,
                    const std::string& directory) {
  impl_->end(state, stage, directory.empty() ? "" : document_in(directory));
}

}  // namespace firm
