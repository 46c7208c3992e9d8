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
  m.gauge("firm_info", "What runs here; always 1", 1, labels);
  for (const char* state : kStates) {
    m.gauge("firm_state", "1 for the state that the run is in, 0 for the others",
            status.state == state ? 1 : 0, {{"state", state}});
  }
  m.gauge("firm_run_seconds", "Seconds since the program has begun the run", status.seconds);
}

struct OfRound {
  const char* key;  // of the history
  const char* name;
  const char* help;
};
constexpr OfRound kOfRounds[] = {
    {"objective", "firm_objective", "f(w) of the last round"},
    {"kkt", "firm_kkt_relative", "Relative KKT residual of the last round"},
    {"step_norm", "firm_step_norm", "||w - w before|| of the last round"},
    {"constraint_violation", "firm_constraint_violation", "||D w|| of the last round"},
    {"residual", "firm_residual", "||A w - b|| of a site, of the last round"},
};

void add_rounds(Metrics& m, const LiveFacts& facts, const LiveStatus& status,
                const std::vector<double>& last) {
  if (last.empty()) return;
  m.gauge("firm_round", "Rounds done", status.round);
  m.gauge("firm_round_limit", "Rounds after which the run ends at the latest; 0: not known",
          status.limit);
  for (std::size_t k = 0; k < last.size(); ++k) {
    const CurveName& curve = facts.curves[k];
    for (const OfRound& one : kOfRounds) {
      if (curve.key != one.key || !std::isfinite(last[k])) continue;
      m.gauge(one.name, one.help, last[k],
              curve.site.empty() ? Labels{} : Labels{{"site", curve.site}});
    }
  }
}

void add_federation(Metrics& m, const LiveFacts& facts, const LiveStatus& status) {
  if (facts.kind == "recon") return;
  m.gauge("firm_attempt", "Number of the attempt that is under way", status.attempt);
  m.gauge("firm_sums", "Sums over sites that are done in this attempt",
          static_cast<double>(status.sums));
  for (const LiveSite& site : status.sites) {
    for (const char* state : kSiteStates) {
      m.gauge("firm_site_state", "1 for the state that a site is in, 0 for the others",
              site.state == state ? 1 : 0, {{"site", site.name}, {"state", state}});
    }
    if (!site.bytes) continue;
    m.counter("firm_site_received_bytes_total", "Bytes of messages that have come from a site",
              static_cast<double>(site.bytes->up), {{"site", site.name}});
    m.counter("firm_site_sent_bytes_total", "Bytes of messages that have left for a site",
              static_cast<double>(site.bytes->down), {{"site", site.name}});
  }
  for (const auto& [kind, traffic] : status.sent) {
    m.counter("firm_sent_messages_total", "Messages that have left this site, as in its ledger",
              static_cast<double>(traffic.messages), {{"kind", kind}});
    m.counter("firm_sent_bytes_total", "Bytes that have left this site, as in its ledger",
              static_cast<double>(traffic.bytes), {{"kind", kind}});
  }
}

}  // namespace

std::string metrics_text(const LiveFacts& facts, const LiveStatus& status,
                         const std::vector<double>& last) {
  Metrics m;
  add_state(m, facts, status);
  if (facts.kind != "coordinator") add_rounds(m, facts, status, last);
  add_federation(m, facts, status);
  return m.text();
}

}  // namespace firm
