#include "live/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "firm/version.h"

namespace firm {
namespace {

using Labels = std::map<std::string, std::string>;

constexpr const char* kStates[] = {"starting", "reading", "waiting", "computing",
                                   "sending",  "pausing", "paused",  "writing",
                                   "finished", "stopped", "failed"};
constexpr const char* kSiteStates[] = {"expected", "waiting", "computing",
                                       "sending",  "lost",    "done"};

class Metrics {
 public:
  void gauge(const char* name, const char* help, double value, const Labels& labels = {}) {
    prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels).Set(value);
  }
  void counter(const char* name, const char* help, double value, const Labels& labels = {}) {
    auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
    family.Add(labels).Increment(value);
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

 private:
  prometheus::Registry registry_{prometheus::Registry::InsertBehavior::Merge};
};

void add_state(Metrics& m, const LiveFacts& facts, const LiveStatus& status) {
  Labels labels = {{"version", kVersion}, {"kind", facts.kind}};
  if (facts.summary.is_object()) labels["study"] = facts.summary.value("study", "");
  m.gauge("firm_info", "Version, kind and study of this run; always 1", 1, labels);
  for (const char* state : kStates) {
    m.gauge("firm_state", "1 for the current state of the run, 0 for the others",
            status.state == state ? 1 : 0, {{"state", state}});
  }
  m.gauge("firm_run_seconds", "Seconds since the start of the run", status.seconds);
}

struct RoundMetric {
  const char* key;  // in the history
  const char* name;
  const char* help;
};
constexpr RoundMetric kRoundMetrics[] = {
    {"objective", "firm_objective", "Objective f(w) of the last round"},
    {"kkt", "firm_kkt_relative", "Relative KKT residual of the last round"},
    {"step_norm", "firm_step_norm", "Norm of the change of all images in the last round"},
    {"constraint_violation", "firm_constraint_violation",
     "Constraint violation ||D w|| of the last round"},
    {"residual", "firm_residual", "Residual ||A w - b|| of a site in the last round"},
    {"fit", "firm_fit",
     "Root mean square of (A w - b) / sigma of a site in the last round; about 1 if it fits"},
};

void add_rounds(Metrics& m, const LiveFacts& facts, const LiveStatus& status,
                const std::vector<double>& last_values) {
  if (last_values.empty()) return;
  m.gauge("firm_round", "Rounds done", status.round);
  m.gauge("firm_round_limit", "Largest number of rounds of the run; 0: unknown", status.limit);
  for (std::size_t k = 0; k < last_values.size(); ++k) {
    const CurveName& curve = facts.curves[k];
    for (const RoundMetric& metric : kRoundMetrics) {
      if (curve.key != metric.key || !std::isfinite(last_values[k])) continue;
      m.gauge(metric.name, metric.help, last_values[k],
              curve.site.empty() ? Labels{} : Labels{{"site", curve.site}});
    }
  }
}

void add_federation(Metrics& m, const LiveFacts& facts, const LiveStatus& status) {
  if (facts.kind == "recon") return;
  m.gauge("firm_attempt", "Number of the current attempt", status.attempt);
  m.gauge("firm_sums", "Completed sums over sites in this attempt",
          static_cast<double>(status.sums));
  for (const LiveSite& site : status.sites) {
    for (const char* state : kSiteStates) {
      m.gauge("firm_site_state", "1 for the current state of a site, 0 for the others",
              site.state == state ? 1 : 0, {{"site", site.name}, {"state", state}});
    }
    if (!site.bytes) continue;
    m.counter("firm_site_received_bytes_total", "Bytes of messages received from a site",
              static_cast<double>(site.bytes->up), {{"site", site.name}});
    m.counter("firm_site_sent_bytes_total", "Bytes of messages sent to a site",
              static_cast<double>(site.bytes->down), {{"site", site.name}});
  }
  for (const auto& [kind, traffic] : status.sent) {
    m.counter("firm_sent_messages_total", "Messages sent by this site, as in its ledger",
              static_cast<double>(traffic.messages), {{"kind", kind}});
    m.counter("firm_sent_bytes_total", "Bytes sent by this site, as in its ledger",
              static_cast<double>(traffic.bytes), {{"kind", kind}});
  }
}

}  // namespace

std::string metrics_text(const LiveFacts& facts, const LiveStatus& status,
                         const std::vector<double>& last_values) {
  Metrics m;
  add_state(m, facts, status);
  if (facts.kind != "coordinator") add_rounds(m, facts, status, last_values);
  add_federation(m, facts, status);
  return m.text();
}

}  // namespace firm
