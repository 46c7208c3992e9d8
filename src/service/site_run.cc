#include "service/site_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "core/malloc_tuning.h"
#include "federation/transport/grpc_channel.h"
#include "federation/protocol/key_exchange.h"
#include "federation/secure/peer_text.h"
#include "federation/pki/pki_show.h"
#include "firm/error.h"
#include "run/store/run_output.h"
#include "service/site_work.h"

namespace firm {
namespace {

constexpr double kDialSeconds = 5;
// A site that has its results waits so long for a coordinator that is not there any more.
constexpr double kPatienceSeconds = 60;
constexpr std::chrono::milliseconds kPause(200);

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

// The text of an error may name files of this site.
std::string what_others_may_know(const Error& error) {
  switch (error.kind()) {
    case Error::Kind::kUsage:
      return "its study or options";
    case Error::Kind::kData:
      return "its data or its disk";
    case Error::Kind::kNetwork:
      return "what it has received";
  }
  return "an error";
}

// As load_site_credentials; of a certificate that has expired it also tells what to do.
Credentials own_credentials(const SiteArguments& a) {
  const Instant now = current_instant();
  try {
    return load_site_credentials(a.pki, a.name, now);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNetwork ||
        certificate_facts(fmt::format("{}/{}.crt", a.pki, a.name)).not_after > now) {
      throw;
    }
    throw Error(
        error.kind(),
        fmt::format("{}; to renew it: firm pki request --dir {} --name {} --renew, then the "
                    "coordinator signs {}.csr again",
                    error.what(), a.pki, a.name, a.name));
  }
}

class SiteRun {
 public:
  SiteRun(const SiteArguments& arguments, const SiteCallbacks& callbacks)
      : arguments_(arguments),
        callbacks_(callbacks),
        credentials_(own_credentials(arguments)),
        work_(arguments, callbacks),
        ledger_(work_.directory().file("ledger.jsonl")) {}

  SiteResult run();

 private:
  void state(SiteState now) const {
    if (callbacks_.on_state) callbacks_.on_state(now);
  }
  void event(const std::string& line) const {
    if (callbacks_.on_event) callbacks_.on_event(peer_text(line));
  }
  bool interrupted() const { return callbacks_.interrupted && callbacks_.interrupted(); }

  // Reads a certificate that has run out again: it may have been renewed. Throws firm::Error when
  // it has not, since no peer would accept it.
  void renew_credentials() {
    if (current_instant() >= credentials_.certificate.not_after) {
      credentials_ = own_credentials(arguments_);
    }
  }
  // One connection; throws ChannelLost when it breaks, returns when the run is over.
  void connect();
  void talk(SiteChannel& channel);
  void attempt(SiteChannel& channel, const v1::Begin& begin);
  void refuse_what_was_not_agreed_to(const v1::Begin& begin) const;
  void tell(SiteChannel& channel, const std::string& failure);
  void publish(SiteChannel& channel);
  void wait_for_finish(SiteChannel& channel);
  // Whether to try again.
  bool lost(const ChannelLost& reason);

  const SiteArguments& arguments_;
  const SiteCallbacks& callbacks_;
  Credentials credentials_;
  SiteWork work_;
  Ledger ledger_;
  SiteResult result_;
  bool waiting_ = false;
  Stopwatch since_connected_;
};

SiteResult SiteRun::run() {
  bool again = true;
  while (again && !interrupted()) {
    try {
      connect();
      again = false;
      result_.complete = true;
    } catch (const ChannelLost& reason) {
      again = lost(reason);
    } catch (const SiteInterrupted&) {
      again = false;
    }
  }
  result_.sent = ledger_.sums();
  if (work_.done()) result_.files = written_files(work_.directory());
  return result_;
}

bool SiteRun::lost(const ChannelLost& reason) {
  if (interrupted()) return false;
  state(SiteState::kLost);
  if (!waiting_) {
    event(fmt::format("{}; trying again", reason.what()));
    since_connected_ = Stopwatch();
  }
  waiting_ = true;
  if (work_.done() && since_connected_.seconds() > kPatienceSeconds) {
    event("the results are complete, and the coordinator is not there any more");
    work_.note_sent(ledger_);
    result_.complete = true;
    return false;
  }
  std::this_thread::sleep_for(kPause);
  return true;
}

void SiteRun::connect() {
  renew_credentials();
  GrpcChannel channel(arguments_.server,
                      {credentials_.ca_pem, credentials_.certificate_pem, credentials_.key_pem},
                      kDialSeconds, arguments_.keepalive_seconds);
  event("connected to " + arguments_.server);
  state(SiteState::kWaiting);
  waiting_ = false;
  const InterruptWatch watch(channel, callbacks_.interrupted);
  talk(channel);
}

void SiteRun::talk(SiteChannel& channel) {
  send_recorded(channel, ledger_, work_.hello());
  for (;;) {
    const v1::CoordinatorMessage message = channel.receive();
    if (message.has_refusal()) {
      throw Error(Error::Kind::kNetwork, "coordinator: " + peer_text(message.refusal().message()));
    }
    if (message.has_waiting()) {
      event(fmt::format("waiting for {}", fmt::join(message.waiting().sites(), ", ")));
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
      attempt(channel, message.begin());
      return;
    } catch (const AttemptAbandoned& abandoned) {
      event(fmt::format("{}; going on from a checkpoint", abandoned.what()));
      send_recorded(channel, ledger_, work_.hello());
    }
  }
}

void SiteRun::refuse_what_was_not_agreed_to(const v1::Begin& begin) const {
  if (arguments_.insecure) return;
  if (!begin.secure()) {
    throw Error(Error::Kind::kNetwork,
                "coordinator: expected secure aggregation, found a run without it, in which the "
                "coordinator sees this site's shares; --insecure takes part in one");
  }
}

void SiteRun::attempt(SiteChannel& channel, const v1::Begin& begin) {
  refuse_what_was_not_agreed_to(begin);
  renew_credentials();
  try {
    work_.begin(begin);
  } catch (const CheckpointUnusable& checkpoint) {
    event(fmt::format("{}; it is set aside", checkpoint.what()));
    // What is wrong with it, fingerprints say; they stay here.
    tell(channel, fmt::format("its checkpoint of round {} is not of this run", begin.round()));
    for (;;) receive_within_attempt(channel);  // until the attempt is abandoned
  }
  event(fmt::format("attempt {} of run {} from round {}", begin.attempt(), begin.run(),
                    begin.round()));
  state(SiteState::kComputing);
  RemoteExchange exchange = join_attempt(
      {channel, ledger_, credentials_, arguments_.name, study_hash(work_.terms(), begin),
       work_.keys(), arguments_.allow_two, work_.totals()},
      begin, callbacks_.on_state);
  try {
    result_.summary = work_.solve(exchange, begin, ledger_);
    if (arguments_.publish) publish(channel);
  } catch (const Error& error) {
    try {
      tell(channel, what_others_may_know(error));
    } catch (const std::exception&) {
      // The reason to leave counts, not that it could not be told.
    }
    throw;
  }
  send_recorded(channel, ledger_, work_.done_message());
  state(SiteState::kDone);
  wait_for_finish(channel);
}

// Ends the attempt.
void SiteRun::tell(SiteChannel& channel, const std::string& failure) {
  v1::SiteMessage message;
  message.mutable_failure()->set_message(failure);
  send_recorded(channel, ledger_, message);
}

void SiteRun::publish(SiteChannel& channel) {
  work_.each_image_message(
      [&](const v1::SiteMessage& message) { send_recorded(channel, ledger_, message); });
}

// Until every site has its results: one that has not needs the others to repeat the last rounds.
void SiteRun::wait_for_finish(SiteChannel& channel) {
  while (!receive_within_attempt(channel).has_finished()) {
  }
  work_.finish(ledger_);
}

}  // namespace

SiteResult run_site(const SiteArguments& arguments, const SiteCallbacks& callbacks) {
  tune_malloc();
  return SiteRun(arguments, callbacks).run();
}

}  // namespace firm
