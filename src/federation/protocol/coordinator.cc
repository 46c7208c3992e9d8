#include "federation/protocol/coordinator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "federation/secure/peer_text.h"
#include "firm/error.h"

namespace firm {
namespace {

ToSite refusal(const std::string& text, bool replaced = false) {
  v1::CoordinatorMessage message;
  message.mutable_refusal()->set_message(peer_text(text));
  message.mutable_refusal()->set_replaced(replaced);
  return ToSite(std::move(message));
}

}  // namespace

Coordinator::Coordinator(CoordinatorOptions options, CoordinatorState state,
                         CoordinatorObserver observer)
    : options_(std::move(options)), observer_(std::move(observer)), state_(std::move(state)) {
  if (state_.finished) phase_ = Phase::kFinished;
  for (const std::string& site : options_.sites) peers_[site];
  FIRM_CHECK(peers_.size() == options_.sites.size() && !peers_.empty());
}

void Coordinator::log(EventLimit& limit, const std::string& line) const {
  const auto left_out = limit.pass();
  if (!left_out || !observer_.on_event) return;
  const std::string more =
      *left_out == 0 ? "" : fmt::format(" ({} lines were left out before this one)", *left_out);
  observer_.on_event(peer_text(line) + more);
}

void Coordinator::note(const std::string& line) const {
  const std::lock_guard lock(mutex_);
  log(notes_, line);
}

void Coordinator::send(const std::string& site, v1::CoordinatorMessage message) {
  const Peer& peer = peers_.at(site);
  if (peer.connection != 0) peer.outbox(ToSite(std::move(message)));
}

void Coordinator::send_all(const ToSite& message) {
  for (const auto& [site, peer] : peers_) {
    if (peer.connection != 0) peer.outbox(message);
  }
}

std::uint64_t Coordinator::connect(const std::string& site, Outbox outbox) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(site);
  if (found == peers_.end()) {
    log(strangers_, fmt::format("{}: refused, not a site of this study", site));
    outbox(refusal(fmt::format("expected one of the study's sites ({}), found {}",
                               fmt::join(options_.sites, ", "), site)));
    return 0;
  }
  Peer& peer = found->second;
  const bool replaced = peer.connection != 0;
  if (replaced) {
    peer.outbox(refusal(fmt::format("{} has connected again, from elsewhere", site), true));
  }
  peer.connection = ++connections_;
  peer.seen = true;
  peer.outbox = std::move(outbox);
  peer.ready = false;
  peer.knows_missing = false;
  peer.in_attempt = false;
  log(peer, fmt::format("{}: connected{}", site, replaced ? " again" : ""));
  if (replaced) abandon(fmt::format("{} has connected again", site));
  return peer.connection;
}

void Coordinator::disconnect(const std::string& site, std::uint64_t connection) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(site);
  if (found == peers_.end() || found->second.connection != connection) return;
  release(found->second);
  log(found->second, fmt::format("{}: disconnected", site));
  abandon(fmt::format("the connection to {} was lost", site));
}

void Coordinator::release(Peer& peer) const {
  peer.connection = 0;
  peer.outbox = nullptr;
  peer.ready = false;
}

void Coordinator::sent(const std::string& site, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  if (observer_.on_message && peers_.contains(site)) observer_.on_message(site, {.down = bytes});
}

bool Coordinator::receive(const std::string& site, std::uint64_t connection,
                          const v1::SiteMessage& message) {
  std::optional<PublishedImage> image;
  {
    const std::lock_guard lock(mutex_);
    if (!take(site, connection, message)) return false;
    image.swap(published_);
  }
  return !image || pass_on(*image);
}

// The lock is free meanwhile: other sites do not wait for the disk. The site itself does, so that
// its image is there before its Done counts.
bool Coordinator::pass_on(const PublishedImage& image) {
  try {
    const std::lock_guard one_at_a_time(image_mutex_);
    observer_.on_image(image.site, image.name, image.values);
    return true;
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
    return false;
  }
}

bool Coordinator::take(const std::string& site, std::uint64_t connection,
                       const v1::SiteMessage& message) {
  Peer& peer = peers_.at(site);
  if (peer.connection != connection || failure_) return false;
  Rejection rejection;
  try {
    if (observer_.on_message) observer_.on_message(site, {.up = message.ByteSizeLong()});
    rejection = dispatch(site, message);
  } catch (const Error& error) {
    failure_ = error;
    return false;
  }
  if (!rejection) return true;
  log(peer, fmt::format("{}: refused: {}", site, *rejection));
  peer.outbox(refusal(*rejection));
  release(peer);
  abandon(fmt::format("{} was refused", site));
  return false;
}

Coordinator::Rejection Coordinator::dispatch(const std::string& site,
                                             const v1::SiteMessage& message) {
  switch (message.body_case()) {
    case v1::SiteMessage::kHello:
      return handle(site, message.hello());
    case v1::SiteMessage::kOffer:
      return handle(site, message.offer());
    case v1::SiteMessage::kSealedKeys:
      return handle(site, message.sealed_keys());
    case v1::SiteMessage::kRange:
      return handle(site, message.range());
    case v1::SiteMessage::kShare:
      return handle(site, message.share());
    case v1::SiteMessage::kDone:
      return handle(site, message.done());
    case v1::SiteMessage::kFailure:
      return handle(site, message.failure());
    case v1::SiteMessage::kImage:
      return handle(site, message.image());
    case v1::SiteMessage::BODY_NOT_SET:
      break;
  }
  return fmt::format("expected a message of protocol {}, found one that is empty or unknown",
                     kProtocol);
}

bool Coordinator::connected() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(peers_.begin(), peers_.end(),
                     [](const auto& p) { return p.second.connection != 0; });
}

bool Coordinator::some_not_told() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(peers_.begin(), peers_.end(), [](const auto& p) { return !p.second.told; });
}

std::optional<Error> Coordinator::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

SiteState Coordinator::state_of(const std::string& site, const Peer& peer) const {
  if (peer.done) return SiteState::kDone;
  if (peer.connection == 0) return peer.seen ? SiteState::kLost : SiteState::kExpected;
  if (phase_ != Phase::kRunning) return SiteState::kWaiting;
  return exchange_->state_of(site);
}

CoordinatorView Coordinator::view() const {
  const std::lock_guard lock(mutex_);
  CoordinatorView view{state_, exchange_ ? exchange_->number() : 0, phase_ == Phase::kRunning, {}};
  for (const std::string& site : options_.sites) {
    view.sites.push_back({site, state_of(site, peers_.at(site)), {}});
  }
  view.agreeing = phase_ == Phase::kAgreeing;
  return view;
}

bool Coordinator::finished() const {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::kFinished;
}

}  // namespace firm
