// Coordinator: handles the messages of the sites, independent of the transport.
//
//   gathering   until every site has sent a Hello that matches the coordinator's study
//   agreeing    sites exchange keys for masks (with secure aggregation)
//   running     sums, one exchange after the other
//   finished    every site has its results on its disk
//
// When a site is lost, the attempt is abandoned and all sites gather again. The next attempt
// resumes at the newest round for which every site has a checkpoint. The coordinator itself stores
// only the run's name, the number of attempts and whether the run is finished.
//
// coordinator.cc has connections and state, coordinator_gathering.cc the start of attempts,
// coordinator_sums.cc keys and sums, coordinator_end.cc published images and the end.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "federation/protocol/event_limit.h"
#include "federation/protocol/exchange.h"
#include "federation/protocol/peer_bytes.h"
#include "federation/protocol/site_state.h"
#include "federation/protocol/to_site.h"
#include "firm/error.h"
#include "firm/v1/federation.pb.h"

namespace firm {

inline constexpr std::uint32_t kProtocol = 4;

inline constexpr std::size_t kLongestReason = 300;  // bytes of a text of a site

// Queues a message for one site; must not block for long, nor call the coordinator.
using Outbox = std::function<void(const ToSite&)>;

struct CoordinatorOptions {
  std::vector<v1::Term> terms;       // of its own study file
  std::vector<std::string> sites;    // of the study
  std::uint64_t most_words = 0;      // limit for a share of pixels
  std::string rays_of;               // site with a summed value per ray (XRT); empty: none
  std::uint64_t slices = 0;          // number of slices of that sum
  std::uint64_t aligned_slices = 0;  // slices that scales are refined with; 0: none are
  std::uint64_t image_values = 0;    // size of a published image
  std::string other_at;              // the site that also has the image "other"; empty: none
  bool secure = true;
  double checkpoint_seconds = 10;
  // Throws firm::Error unless rays and noise in the Hello of a site are valid. Default: any are.
  std::function<void(const std::string& site, const v1::Geometry&, const v1::Noise&)> check_member;
};

// State that survives restarts.
struct CoordinatorState {
  std::string run;
  std::uint32_t attempt = 0;
  bool finished = false;
};

// Callbacks. All may be empty; all but on_image are called with the coordinator's lock held. A
// firm::Error thrown by one of them ends the run: see failure().
struct CoordinatorObserver {
  std::function<void(const std::string& line)> on_event;
  std::function<void(const CoordinatorState&)> keep;  // save the state, before it is used
  std::function<void(std::uint64_t exchange, std::uint64_t words)> on_exchange;
  // A message has arrived from a site, or has been sent to it. Must not throw.
  std::function<void(const std::string& site, const PeerBytes& more)> on_message;
  // A site has published an image. Called for one image at a time; may take long.
  std::function<void(const std::string& site, const std::string& name, const std::vector<float>&)>
      on_image;
};

// Snapshot of a run: which sites are connected, and how many sums are done.
struct CoordinatorView {
  struct Peer {
    std::string site;
    SiteState state = SiteState::kExpected;
    PeerBytes bytes;  // of the run; left to the caller, who counts it
  };
  CoordinatorState state;
  std::uint64_t sums = 0;  // in this attempt
  bool running = false;
  std::vector<Peer> sites;
  bool agreeing = false;  // sites exchange keys
};

class Coordinator {
 public:
  Coordinator(CoordinatorOptions options, CoordinatorState state, CoordinatorObserver observer);

  // Registers the stream of a site that its certificate has identified. An older stream of the same
  // site gets a refusal and no more messages. Returns the number of the connection, 0 if the site
  // is refused.
  std::uint64_t connect(const std::string& site, Outbox outbox);
  // Returns false when the connection must be closed; the site has been told why.
  bool receive(const std::string& site, std::uint64_t connection, const v1::SiteMessage& message);
  void disconnect(const std::string& site, std::uint64_t connection);
  // Reports that a message of so many bytes was sent to the site.
  void sent(const std::string& site, std::uint64_t bytes) const;

  // Holds back the next sum, so that all sites wait, or releases it.
  void pause(bool on);
  CoordinatorView view() const;

  // Logs an event of the transport. Leaves some out if there are very many.
  void note(const std::string& line) const;

  bool finished() const;
  // The error that ended the run, such as a full disk. The saved state is then that before the
  // error.
  std::optional<Error> failure() const;
  // Return whether any site is still connected, and whether any does not know yet that the run is
  // finished.
  bool connected() const;
  bool some_not_told() const;

 private:
  enum class Phase { kGathering, kAgreeing, kRunning, kFinished };

  struct Peer {
    std::uint64_t connection = 0;  // 0: none
    Outbox outbox;
    bool ready = false;          // has sent Hello since the last attempt
    bool done = false;           // has its results
    bool told = false;           // has been told that the run is finished
    bool seen = false;           // has connected at least once
    bool knows_missing = false;  // has been told announced_ on this connection
    bool in_attempt = false;     // has been sent Begin, and has not said Hello since
    v1::Hello hello;
    std::string image_name;  // of the image being received
    std::vector<float> image;
    std::set<std::string> published;  // names of whole images in this attempt
    mutable EventLimit events{30, std::chrono::seconds(10)};
  };

  struct PublishedImage {
    std::string site;
    std::string name;
    std::vector<float> values;
  };

  // Why a message is refused, for the site and the log; empty: it is accepted.
  using Rejection = std::optional<std::string>;

  // Handle a message with the lock held, and an image without it. Return false when the connection
  // must be closed.
  bool take(const std::string& site, std::uint64_t connection, const v1::SiteMessage& message);
  bool pass_on(const PublishedImage& image);
  Rejection dispatch(const std::string& site, const v1::SiteMessage& message);
  Rejection handle(const std::string& site, const v1::Hello& hello);
  Rejection handle(const std::string& site, const v1::Offer& offer);
  Rejection handle(const std::string& site, const v1::SealedKeys& keys);
  Rejection handle(const std::string& site, const v1::Range& range);
  Rejection handle(const std::string& site, const v1::Share& share);
  Rejection handle(const std::string& site, const v1::Done& done);
  Rejection handle(const std::string& site, const v1::Failure& failure);
  Rejection handle(const std::string& site, const v1::Image& image);
  Rejection check_image(const std::string& site, const v1::Image& image) const;
  Rejection check_hello(const std::string& site, const v1::Hello& hello) const;
  Rejection send_finished(const std::string& site);
  // Forgets the connection.
  void release(Peer& peer) const;
  SiteState state_of(const std::string& site, const Peer& peer) const;
  Rejection check_position(const v1::Position& position) const;
  Rejection check_attempt(std::uint32_t attempt, Phase phase) const;
  // Returns whether sites have received a sum in this attempt.
  bool sum_sent() const { return exchange_ && exchange_->number() > 0; }
  Rejection check_length(std::uint64_t words) const;
  std::uint64_t words_of_scales(const v1::Geometry& xrt) const;
  Rejection act_on(const Objection& objection);

  void announce_missing(const std::string& arrived);
  void begin_when_all_ready();
  std::uint64_t newest_common_round() const;
  void acknowledge(const std::string& site, const v1::Share& share);
  void complete_exchange();
  void send_total();
  void abandon(const std::string& reason, bool wrong_sum = false);
  void finish_when_all_done();
  void send(const std::string& site, v1::CoordinatorMessage message);
  void send_all(const ToSite& message);
  // Logs a line, unless there were too many of its kind: no peer can fill the disk.
  void log(EventLimit& limit, const std::string& line) const;
  void log(const Peer& peer, const std::string& line) const { log(peer.events, line); }
  v1::Position position() const;

  const CoordinatorOptions options_;
  CoordinatorObserver observer_;
  mutable std::mutex mutex_;
  CoordinatorState state_;
  Phase phase_ = Phase::kGathering;
  std::map<std::string, Peer> peers_;
  std::uint64_t connections_ = 0;
  std::map<std::string, v1::Offer> offers_;
  std::optional<v1::SealedKeys> sealed_keys_;
  std::optional<Exchange> exchange_;
  std::optional<Error> failure_;
  std::vector<std::string> announced_;       // missing sites, as the others know them
  std::optional<PublishedImage> published_;  // by the message that is being handled
  std::mutex image_mutex_;                   // held while an image is passed on; before mutex_
  bool paused_ = false;
  mutable EventLimit notes_{60, std::chrono::seconds(5)};            // of the transport
  mutable EventLimit strangers_{15, std::chrono::seconds(30)};       // sites of no or another study
  mutable EventLimit attempt_events_{500, std::chrono::seconds(1)};  // of the run
  // Each of these ends all sites, so the log has to say who it was.
  mutable EventLimit wrong_sums_{100, std::chrono::seconds(10)};
  std::chrono::steady_clock::time_point last_checkpoint_;
};

}  // namespace firm
