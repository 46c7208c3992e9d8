#include "service/site_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "core/interruption.h"
#include "core/malloc_tuning.h"
#include "core/shell_quote.h"
#include "federation/pki/describe.h"
#include "federation/pki/revocation.h"
#include "federation/protocol/event_limit.h"
#include "federation/protocol/key_exchange.h"
#include "federation/protocol/refused.h"
#include "federation/secure/peer_text.h"
#include "federation/sums/wrong_sum.h"
#include "federation/transport/grpc_channel.h"
#include "firm/error.h"
#include "run/store/run_output.h"
#include "service/site_begin.h"
#include "service/site_work.h"

namespace firm {
namespace {

constexpr double kDialSeconds = 5;
// A site that has its results gives up when it cannot reach the coordinator for this long.
constexpr double kGiveUpSeconds = 60;
constexpr std::chrono::milliseconds kRetryPause(200);
// Between two attempts that this site cannot take part in.
constexpr double kUnusablePause = 5;

// Ends blocking calls of a channel when the user interrupts.
class InterruptWatch {
 public:
  InterruptWatch(GrpcChannel& channel, const std::function<bool()>& interrupted)
      : thread_([this, &channel, &interrupted] {
          while (!over_ && !(interrupted && interrupted())) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
          if (!over_) channel.cancel();
        }) {}
  ~InterruptWatch() { over_ = true; }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  std::atomic<bool> over_ = false;
  std::jthread thread_;
};

bool is_wrong_sum(const Error& error) { return dynamic_cast<const WrongSum*>(&error) != nullptr; }

bool is_wrong_begin(const Error& error) {
  return dynamic_cast<const WrongBegin*>(&error) != nullptr;
}

// Whether the coordinator is caught, so that the run has to end at all sites.
bool ends_run(const Error& error) { return is_wrong_sum(error) || is_wrong_begin(error); }

// Describes an error for the other sites. Its text stays here, since it may name files of this
// site.
std::string public_reason(const Error& error) {
  if (is_wrong_sum(error)) return "it has received a wrong sum";
  if (is_wrong_begin(error)) return "it has received a wrong Begin";
  switch (error.kind()) {
    case Error::Kind::kUsage:
      return "its study or options are wrong";
    case Error::Kind::kData:
      return "its data or its disk has a fault";
    case Error::Kind::kNetwork:
      return "it has received something wrong";
  }
  return "an error";
}

// Calls load_site_credentials; the error for an expired certificate also says how to renew it.
Credentials own_credentials(const SiteArguments& a) {
  const Instant now = current_instant();
  const std::string file = certificate_file_name(a.name);
  try {
    return load_site_credentials(a.pki, a.name, now);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNetwork ||
        certificate_facts(fmt::format("{}/{}.crt", a.pki, file)).not_after > now) {
      throw;
    }
    throw Error(
        error.kind(),
        fmt::format("{}; to renew it: firm pki request --dir {} --name {} --renew, then the "
                    "coordinator signs {}.csr again",
                    error.what(), shell_quote(a.pki), shell_quote(a.name), file));
  }
}

class SiteRun {
 public:
  SiteRun(const SiteArguments& arguments, const SiteCallbacks& callbacks)
      : arguments_(arguments),
        callbacks_(callbacks),
        credentials_(own_credentials(arguments)),
        work_(arguments, callbacks),
        revocation_(arguments.pki, credentials_.ca_pem, work_.directory().file(kRevocationMemory)),
        ledger_(work_.directory().file("ledger.jsonl")) {
    if (arguments.keep_shares) kept_.emplace(work_.directory().file("shares"));
  }

  SiteResult run();

 private:
  void report_state(SiteState now) const {
    if (callbacks_.on_state) callbacks_.on_state(now);
  }
  void report_event(const std::string& line);
  bool interrupted() const { return callbacks_.interrupted && callbacks_.interrupted(); }

  // Reads an expired certificate again, since it may have been renewed. Throws firm::Error if it
  // has not: no peer would accept it.
  void renew_credentials() {
    if (current_instant() >= credentials_.certificate.not_after) {
      credentials_ = own_credentials(arguments_);
    }
  }
  // Returns a check of the coordinator's certificate; empty if this site has no revocation list.
  // Throws firm::Error if this site's own certificate is revoked.
  GrpcChannel::AcceptServer check_revocation();
  // Connects and takes part until the run is over. Throws ChannelLost when the connection breaks.
  void connect();
  void take_part(SiteChannel& channel);
  void run_attempt(SiteChannel& channel, const v1::Begin& begin);
  // From Begin to results on disk.
  void compute(SiteChannel& channel, const v1::Begin& begin);
  void check_security(const v1::Begin& begin) const;
  // Makes the attempt ready. With an unusable checkpoint, reports that and throws AttemptAbandoned.
  void begin_work(SiteChannel& channel, const v1::Begin& begin);
  // Agrees on keys with the other sites.
  RemoteExchange join(SiteChannel& channel, const v1::Begin& begin);
  // Reports that the attempt cannot be used, for a reason that lies elsewhere: another site, or an
  // older coordinator. Waits, then throws AttemptAbandoned, so that this site takes part in the
  // next one.
  [[noreturn]] void wait_for_better_attempt(SiteChannel& channel, const Error& reason);
  // Tells the coordinator that this site cannot continue, which ends the attempt.
  void report_failure(SiteChannel& channel, const std::string& reason, bool wrong_sum = false);
  void publish(SiteChannel& channel);
  void wait_for_finish(SiteChannel& channel);
  // Waits a little after a lost connection; returns whether to connect again.
  bool retry_after(const ChannelLost& reason);

  const SiteArguments& arguments_;
  const SiteCallbacks& callbacks_;
  Credentials credentials_;
  SiteWork work_;
  RevocationCheck revocation_;
  Ledger ledger_;
  std::optional<KeptShares> kept_;  // with --keep-shares
  SiteResult result_;
  bool disconnected_ = false;
  Stopwatch since_lost_;
  EventLimit events_{60, std::chrono::seconds(5)};  // the other end causes most of them
};

void SiteRun::report_event(const std::string& line) {
  if (!callbacks_.on_event) return;
  const auto left_out = events_.pass();
  if (!left_out) return;
  callbacks_.on_event(
      peer_text(line) +
      (*left_out == 0 ? "" : fmt::format(" ({} lines were left out before this one)", *left_out)));
}

SiteResult SiteRun::run() {
  const std::string unpinned = work_.warn_keys();
  if (!arguments_.insecure && !unpinned.empty()) report_event("warning: " + unpinned);
  bool again = true;
  while (again && !interrupted()) {
    try {
      connect();
      again = false;
      result_.complete = true;
    } catch (const ChannelLost& reason) {
      again = retry_after(reason);
    } catch (const SiteInterrupted&) {
      again = false;
    } catch (const Interrupted&) {  // in set-up
      again = false;
    }
  }
  result_.sent = ledger_.sums();
  if (work_.done()) result_.files = written_files(work_.directory());
  return result_;
}

bool SiteRun::retry_after(const ChannelLost& reason) {
  if (interrupted()) return false;
  report_state(SiteState::kLost);
  if (!disconnected_) {
    report_event(fmt::format("{}; retrying", reason.what()));
    since_lost_ = Stopwatch();
  }
  disconnected_ = true;
  if (work_.done() && since_lost_.seconds() > kGiveUpSeconds) {
    report_event("the results are complete, and the coordinator cannot be reached any more");
    work_.note_sent(ledger_);
    result_.complete = true;
    return false;
  }
  std::this_thread::sleep_for(kRetryPause);
  return true;
}

GrpcChannel::AcceptServer SiteRun::check_revocation() {
  const Instant now = current_instant();
  if (!revocation_.list(now)) return {};
  revocation_.check(credentials_.certificate, "the certificate of this site", now);
  return [this](const std::string& certificate) {
    const Instant then = current_instant();
    const CertificateFacts facts =
        verify_peer(certificate, credentials_.ca_pem, CertificatePurpose::kCoordinator, then);
    revocation_.check(facts, arguments_.server, then);
  };
}

void SiteRun::connect() {
  renew_credentials();
  GrpcChannel channel(arguments_.server,
                      {credentials_.ca_pem, credentials_.certificate_pem, credentials_.key_pem},
                      kDialSeconds, arguments_.keepalive_seconds, check_revocation());
  report_event("connected to " + arguments_.server);
  report_state(SiteState::kWaiting);
  disconnected_ = false;
  const InterruptWatch watch(channel, callbacks_.interrupted);
  take_part(channel);
}

void SiteRun::take_part(SiteChannel& channel) {
  send_recorded(channel, ledger_, work_.hello());
  for (;;) {
    const v1::CoordinatorMessage message = channel.receive();
    if (message.has_refusal()) throw Refused(message.refusal());
    require_no_wrong_sum(message);  // found in the last attempt, after this site had left it
    if (message.has_waiting()) {
      report_event(fmt::format("waiting for {}", fmt::join(message.waiting().sites(), ", ")));
    }
    if (message.has_finished()) {
      if (!work_.has_results_of(message.finished().run())) {
        throw Error(Error::Kind::kNetwork,
                    "coordinator: expected a run of which this site has the results, found one "
                    "that is finished without it");
      }
      work_.finish(ledger_);
      return;
    }
    if (!message.has_begin()) continue;
    try {
      run_attempt(channel, message.begin());
      return;
    } catch (const AttemptAbandoned& abandoned) {
      report_event(fmt::format("{}; waiting for the next attempt", abandoned.what()));
      send_recorded(channel, ledger_, work_.hello());
    }
  }
}

void SiteRun::check_security(const v1::Begin& begin) const {
  if (arguments_.insecure || begin.secure()) return;
  throw Error(Error::Kind::kNetwork,
              "coordinator: expected secure aggregation, found a run without it, in which the "
              "coordinator sees this site's shares; --insecure takes part in one");
}

void SiteRun::begin_work(SiteChannel& channel, const v1::Begin& begin) {
  try {
    work_.begin(begin);
  } catch (const CheckpointUnusable& checkpoint) {
    report_event(fmt::format("{}; it is set aside", checkpoint.what()));
    // The reason contains fingerprints of this site's data, which stay here.
    report_failure(channel,
                   fmt::format("its checkpoint of round {} is not of this run", begin.round()));
    for (;;) receive_within_attempt(channel);  // throws when the attempt is abandoned
  } catch (const WrongBegin&) {
    throw;
  } catch (const Error& error) {
    // This site has read its own study and data before: a wrong number is another's.
    if (error.kind() == Error::Kind::kData) throw;
    wait_for_better_attempt(channel, error);
  }
}

RemoteExchange SiteRun::join(SiteChannel& channel, const v1::Begin& begin) {
  try {
    return join_attempt({channel, ledger_, credentials_, arguments_.name,
                         study_hash(work_.terms(), begin), work_.keys(), arguments_.allow_two,
                         work_.totals(), kept_ ? &*kept_ : nullptr, &revocation_},
                        begin, callbacks_.on_state);
  } catch (const Refused&) {
    throw;
  } catch (const WrongSum&) {
    throw;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNetwork) throw;
    wait_for_better_attempt(channel, error);
  }
}

void SiteRun::wait_for_better_attempt(SiteChannel& channel, const Error& reason) {
  report_event(
      fmt::format("cannot take part in this attempt: {}; waiting for another one", reason.what()));
  report_failure(channel, public_reason(reason));
  try {
    for (;;) receive_within_attempt(channel);
  } catch (const AttemptAbandoned&) {
    const Stopwatch watch;
    while (watch.seconds() < kUnusablePause && !interrupted()) {
      std::this_thread::sleep_for(kRetryPause);
    }
    throw;
  }
}

void SiteRun::compute(SiteChannel& channel, const v1::Begin& begin) {
  begin_work(channel, begin);
  report_event(fmt::format("attempt {} of run {} from round {}", begin.attempt(), begin.run(),
                           begin.round()));
  report_state(SiteState::kComputing);
  RemoteExchange exchange = join(channel, begin);
  result_.summary = work_.solve(exchange, begin, ledger_);
  if (arguments_.publish) publish(channel);
}

void SiteRun::run_attempt(SiteChannel& channel, const v1::Begin& begin) {
  check_security(begin);
  renew_credentials();
  try {
    compute(channel, begin);
  } catch (const Error& error) {
    try {
      report_failure(channel, public_reason(error), ends_run(error));
      // A message may get lost when the connection is cut at once: the others would wait for ever.
      if (ends_run(error)) std::this_thread::sleep_for(kRetryPause);
    } catch (const std::exception&) {
      // Rethrow the first error, whether or not the coordinator learned of it.
    }
    throw;
  }
  send_recorded(channel, ledger_, work_.done_message());
  report_state(SiteState::kDone);
  wait_for_finish(channel);
}

void SiteRun::report_failure(SiteChannel& channel, const std::string& reason, bool wrong_sum) {
  v1::SiteMessage message;
  message.mutable_failure()->set_message(reason);
  message.mutable_failure()->set_wrong_sum(wrong_sum);
  send_recorded(channel, ledger_, message);
}

void SiteRun::publish(SiteChannel& channel) {
  work_.each_image_message(
      [&](const v1::SiteMessage& message) { send_recorded(channel, ledger_, message); });
}

// Waits until every site has its results: one that fails before needs the others to repeat rounds.
void SiteRun::wait_for_finish(SiteChannel& channel) {
  while (!receive_within_attempt(channel).has_finished()) {
  }
  work_.finish(ledger_);
}

}  // namespace

SiteResult run_site(const SiteArguments& arguments, const SiteCallbacks& callbacks) {
  tune_malloc();
  std::optional<SiteRun> run;
  try {
    const InterruptionScope scope(callbacks.interrupted);
    run.emplace(arguments, callbacks);
  } catch (const Interrupted&) {
    return {};
  }
  return run->run();
}

}  // namespace firm
