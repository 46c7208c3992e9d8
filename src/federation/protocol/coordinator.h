// Coordinator: what the coordinator does with messages, whatever carries them.
//
//   gathering   until every site of the study has said Hello, each with the coordinator's study
//   agreeing    keys for masks go from site to site (with secure aggregation)
//   running     sums, one exchange after the other
//   finished    every site has its results on its disk
//
// When a site is lost, the attempt is abandoned and all gather again; the next attempt goes on from
// the newest round at which every site has a checkpoint. The coordinator itself needs to remember
// nothing but the run's name and the number of attempts.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "federation/protocol/exchange.h"
#include "federation/protocol/peer_bytes.h"
#include "federation/protocol/site_state.h"
#include "federation/protocol/to_site.h"
#include "firm/error.h"
#include "firm/v1/federation.pb.h"

namespace firm {

inline constexpr std::uint32_t kProtocol = 3;

// Takes messages for one site; must not block for long, and not call back.
using Outbox = std::function<void(const ToSite&)>;

struct CoordinatorOptions {
  std::vector<v1::Term> terms;     // of its own study file
  std::vector<std::string> sites;  // of the study
  std::uint64_t most_words = 0;    // of a share of pixels
  std::string rays_of;             // the site whose rays sites sum vectors of; empty: none
  std::uint64_t slices = 0;        // of these
  std::uint64_t image_values = 0;  // of a published image
  std::string other_at;            // the site that also has the image "other"; empty: none
  bool secure = true;
  double checkpoint_seconds = 10;
};

// What is kept across restarts.
struct CoordinatorState {
  std::string run;
  std::uint32_t attempt = 0;
  bool finished = false;
};

// What may be told to people. All may be empty; called with the coordinator's lock held. A
// firm::Error that one of them throws ends the run: see failure().
struct CoordinatorObserver {
  std::function<void(const std::string& line)> on_event;
  std::function<void(const CoordinatorState&)> keep;  // before the state is used
  std::function<void(std::uint64_t exchange, std::uint64_t words)> on_exchange;
  // A message has come from a site, or has left for it. Throws nothing.
  std::function<void(const std::string& site, const PeerBytes& more)> on_message;
  // A site has chosen to publish an image.
  std::function<void(const std::string& site, const std::string& name, const std::vector<float>&)>
      on_image;
};

// What the coordinator knows of a run: who is there, and how far the sums are.
struct CoordinatorView {
  struct Peer {
    std::string site;
    SiteState state = SiteState::kExpected;
    PeerBytes bytes;  // of the run; filled in by who counts it
  };
  CoordinatorState state;
  std::uint64_t sums = 0;  // of this attempt
  bool running = false;
  std::vector<Peer> sites;
  bool agreeing = false;  // keys go from site to site
};

class Coordinator {
 public:
  Coordinator(CoordinatorOptions options, CoordinatorState state, CoordinatorObserver observer);

  // A site, known by its certificate, has opened a stream. An older stream of the same site is
  // told so, and given up: its outbox gets no more messages. Returns the number of the connection.
  std::uint64_t connect(const std::string& site, Outbox outbox);
  // Returns false when the connection is to be closed; the site has been told why.
  bool receive(const std::string& site, std::uint64_t connection, const v1::SiteMessage& message);
  void disconnect(const std::string& site, std::uint64_t connection);
  // A message of so many bytes has left for the site.
  void sent(const std::string& site, std::uint64_t bytes) const;

  // Holds back the next sum, or lets it go: all sites wait meanwhile.
  void pause(bool on);
  CoordinatorView view() const;

  // A line for the log, of something that happened outside.
  void note(const std::string& line) const;

  bool finished() const;
  // Why it cannot go on, if so: its disk is full, say. What it has kept is as it was before.
  std::optional<Error> failure() const;
  // Whether a site is still connected; and whether one has not been told that the run is finished.
  bool connected() const;
  bool missed_by_some() const;

 private:
  enum class Phase { kGathering, kAgreeing, kRunning, kFinished };

  struct Peer {
    std::uint64_t connection = 0;  // 0: none
    Outbox outbox;
    bool ready = false;  // has said Hello since the last attempt
    bool done = false;
    bool told = false;  // that the run is finished
    bool seen = false;  // has been connected
    v1::Hello hello;
    std::string image_name;  // that is being received
    std::vector<float> image;
  };

  // What is wrong with a message; a text for the site and the log.
  using Wrong = std::optional<std::string>;

  Wrong dispatch(const std::string& site, const v1::SiteMessage& message);
  Wrong take(const std::string& site, const v1::Hello& hello);
  Wrong take(const std::string& site, const v1::Offer& offer);
  Wrong take(const std::string& site, const v1::SealedKeys& keys);
  Wrong take(const std::string& site, const v1::Range& range);
  Wrong take(const std::string& site, const v1::Share& share);
  Wrong take(const std::string& site, const v1::Done& done);
  Wrong take(const std::string& site, const v1::Failure& failure);
  Wrong take(const std::string& site, const v1::Image& image);
  // Clears what an attempt leaves behind.
  void release(Peer& peer) const;
  SiteState state_of(const std::string& site, const Peer& peer) const;
  Wrong check_position(const v1::Position& position) const;
  Wrong check_attempt(std::uint32_t attempt, Phase phase) const;
  Wrong check_length(std::uint64_t words) const;

  void announce_missing();
  void begin_when_all_are_there();
  std::uint64_t newest_common_round() const;
  void acknowledge(const std::string& site, const v1::Share& share);
  void complete_exchange();
  void send_total();
  void abandon(const std::string& reason);
  void finish_when_all_are_done();
  void send(const std::string& site, v1::CoordinatorMessage message);
  void send_all(const ToSite& what);
  void log(const std::string& line) const;
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
  bool paused_ = false;
  std::chrono::steady_clock::time_point last_checkpoint_;
};

}  // namespace firm
