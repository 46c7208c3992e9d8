#include "federation/protocol/coordinator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/rand.h>

#include <algorithm>

#include "federation/sums/fixed_point.h"
#include "federation/secure/peer_text.h"
#include "firm/error.h"
#include "firm/version.h"

namespace firm {
namespace {

std::string new_run_name() {
  unsigned char bytes[8];
  FIRM_CHECK(RAND_bytes(bytes, sizeof(bytes)) == 1);
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::map<std::string, std::string> as_map(const auto& terms) {
  std::map<std::string, std::string> map;
  for (const v1::Term& term : terms) map[term.field()] = term.value();
  return map;
}

struct Difference {
  std::string field;
  std::string coordinator;
  std::string site;
};

// Where two lists of terms differ, field by field.
std::vector<Difference> differences(const std::map<std::string, std::string>& ours,
                                    const std::map<std::string, std::string>& theirs) {
  std::set<std::string> fields;
  for (const auto& [field, value] : ours) fields.insert(field);
  for (const auto& [field, value] : theirs) fields.insert(field);
  std::vector<Difference> found;
  for (const std::string& field : fields) {
    const auto a = ours.find(field);
    const auto b = theirs.find(field);
    const std::string left = a == ours.end() ? "(absent)" : a->second;
    const std::string right = b == theirs.end() ? "(absent)" : b->second;
    if (left != right) found.push_back({field, left, right});
  }
  return found;
}

ToSite refusal(const std::string& text) {
  v1::CoordinatorMessage message;
  message.mutable_refusal()->set_message(text);
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

void Coordinator::log(const std::string& line) const {
  if (observer_.on_event) observer_.on_event(peer_text(line));
}

void Coordinator::note(const std::string& line) const {
  const std::lock_guard lock(mutex_);
  log(line);
}

void Coordinator::send(const std::string& site, v1::CoordinatorMessage message) {
  const Peer& peer = peers_.at(site);
  if (peer.connection != 0) peer.outbox(ToSite(std::move(message)));
}

void Coordinator::send_all(const ToSite& what) {
  for (const auto& [site, peer] : peers_) {
    if (peer.connection != 0) peer.outbox(what);
  }
}

std::uint64_t Coordinator::connect(const std::string& site, Outbox outbox) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(site);
  if (found == peers_.end()) {
    log(fmt::format("{}: refused, not a site of this study", site));
    outbox(refusal(fmt::format("expected one of the study's sites ({}), found {}",
                               fmt::join(options_.sites, ", "), site)));
    return 0;
  }
  Peer& peer = found->second;
  const bool replaced = peer.connection != 0;
  if (replaced) peer.outbox(refusal(fmt::format("{} has connected again, from elsewhere", site)));
  peer.connection = ++connections_;
  peer.seen = true;
  peer.outbox = std::move(outbox);
  peer.ready = false;
  log(fmt::format("{}: connected{}", site, replaced ? " again" : ""));
  if (replaced) abandon(fmt::format("{} has connected again", site));
  return peer.connection;
}

void Coordinator::disconnect(const std::string& site, std::uint64_t connection) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(site);
  if (found == peers_.end() || found->second.connection != connection) return;
  release(found->second);
  log(fmt::format("{}: disconnected", site));
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
  const std::lock_guard lock(mutex_);
  Peer& peer = peers_.at(site);
  if (peer.connection != connection || failure_) return false;
  Wrong wrong;
  try {
    if (observer_.on_message) observer_.on_message(site, {.up = message.ByteSizeLong()});
    wrong = dispatch(site, message);
  } catch (const Error& error) {
    failure_ = error;
    return false;
  }
  if (!wrong) return true;
  log(fmt::format("{}: refused: {}", site, *wrong));
  peer.outbox(refusal(*wrong));
  release(peer);
  abandon(fmt::format("{} was refused", site));
  return false;
}

Coordinator::Wrong Coordinator::dispatch(const std::string& site, const v1::SiteMessage& message) {
  switch (message.body_case()) {
    case v1::SiteMessage::kHello:
      return take(site, message.hello());
    case v1::SiteMessage::kOffer:
      return take(site, message.offer());
    case v1::SiteMessage::kSealedKeys:
      return take(site, message.sealed_keys());
    case v1::SiteMessage::kRange:
      return take(site, message.range());
    case v1::SiteMessage::kShare:
      return take(site, message.share());
    case v1::SiteMessage::kDone:
      return take(site, message.done());
    case v1::SiteMessage::kFailure:
      return take(site, message.failure());
    case v1::SiteMessage::kImage:
      return take(site, message.image());
    case v1::SiteMessage::BODY_NOT_SET:
      break;
  }
  return fmt::format("expected a message of protocol {}, found one that is empty or unknown",
                     kProtocol);
}

// ---- gathering ---------------------------------------------------------------------------------

Coordinator::Wrong Coordinator::take(const std::string& site, const v1::Hello& hello) {
  Peer& peer = peers_.at(site);
  if (hello.protocol() != kProtocol) {
    return fmt::format("expected protocol {} (firm {}), found protocol {} (firm {})", kProtocol,
                       kVersion, hello.protocol(), hello.software());
  }
  if (hello.site() != site) {
    return fmt::format("expected the site of the certificate, {}, found {}", site, hello.site());
  }
  if (phase_ != Phase::kGathering && phase_ != Phase::kFinished) {
    return "expected Hello before an attempt, found it within one";
  }
  const auto differing = differences(as_map(options_.terms), as_map(hello.terms()));
  if (!differing.empty()) {
    std::string text = "the study differs from the coordinator's:";
    for (const Difference& d : differing) {
      text += fmt::format("\n  {}: expected {}, found {}", d.field, d.coordinator, d.site);
    }
    return text;
  }
  if (rays_in(hello.geometry()) > kMostRays) {
    return fmt::format("expected at most {} rays, found {}", kMostRays, rays_in(hello.geometry()));
  }
  peer.hello = hello;
  peer.ready = true;
  peer.done = hello.done() && hello.run() == state_.run;
  if (phase_ == Phase::kFinished) {
    if (!peer.done) {
      return fmt::format(
          "run {} is finished; this site has results of run '{}'. A new run needs "
          "new directories, here and there",
          state_.run, hello.run());
    }
    v1::CoordinatorMessage message;
    message.mutable_finished()->set_run(state_.run);
    send(site, std::move(message));
    peer.told = true;
    return {};
  }
  announce_missing();
  begin_when_all_are_there();
  return {};
}

void Coordinator::announce_missing() {
  v1::CoordinatorMessage message;
  for (const auto& [site, peer] : peers_) {
    if (!peer.ready) message.mutable_waiting()->add_sites(site);
  }
  if (!message.has_waiting()) return;
  log(fmt::format("waiting for {}", fmt::join(message.waiting().sites(), ", ")));
  send_all(ToSite(std::move(message)));
}

// 0 when there is none: the run starts.
std::uint64_t Coordinator::newest_common_round() const {
  std::optional<std::set<std::uint64_t>> common;
  for (const auto& [site, peer] : peers_) {
    if (peer.hello.run() != state_.run) return 0;
    const std::set<std::uint64_t> own(peer.hello.checkpoints().begin(),
                                      peer.hello.checkpoints().end());
    if (!common) {
      common = own;
      continue;
    }
    std::erase_if(*common, [&](std::uint64_t round) { return !own.contains(round); });
  }
  return common->empty() ? 0 : *common->rbegin();
}

void Coordinator::begin_when_all_are_there() {
  for (const auto& [site, peer] : peers_) {
    if (!peer.ready) return;
  }
  // An image that was on its way is sent again, at the end of another attempt.
  const bool all_done = std::all_of(peers_.begin(), peers_.end(), [](const auto& p) {
    return p.second.done && !p.second.hello.publishes();
  });
  if (all_done) return finish_when_all_are_done();
  if (state_.run.empty()) state_.run = new_run_name();
  ++state_.attempt;
  if (observer_.keep) observer_.keep(state_);

  v1::CoordinatorMessage message;
  v1::Begin& begin = *message.mutable_begin();
  begin.set_run(state_.run);
  begin.set_attempt(state_.attempt);
  begin.set_round(newest_common_round());
  begin.set_secure(options_.secure);
  for (auto& [site, peer] : peers_) {
    v1::Member& member = *begin.add_members();
    member.set_site(site);
    *member.mutable_geometry() = peer.hello.geometry();
    *member.mutable_noise() = peer.hello.noise();
    peer.ready = peer.done = false;
  }
  log(fmt::format("attempt {} begins at round {}", state_.attempt, begin.round()));
  offers_.clear();
  sealed_keys_.reset();
  exchange_.emplace(options_.sites, 0);
  last_checkpoint_ = std::chrono::steady_clock::now();
  phase_ = options_.secure ? Phase::kAgreeing : Phase::kRunning;
  send_all(ToSite(std::move(message)));
}

void Coordinator::abandon(const std::string& reason) {
  if (phase_ != Phase::kAgreeing && phase_ != Phase::kRunning) return;
  log(fmt::format("attempt {} abandoned: {}", state_.attempt, reason));
  phase_ = Phase::kGathering;
  exchange_.reset();
  v1::CoordinatorMessage message;
  message.mutable_abandon()->set_attempt(state_.attempt);
  message.mutable_abandon()->set_reason(reason);
  send_all(ToSite(std::move(message)));
}

Coordinator::Wrong Coordinator::take(const std::string& site, const v1::Failure& failure) {
  log(fmt::format("{}: cannot go on: {}", site, failure.message()));
  peers_.at(site).ready = false;
  abandon(fmt::format("{} cannot go on: {}", site, failure.message()));
  return {};
}

// ---- the end -----------------------------------------------------------------------------------

Coordinator::Wrong Coordinator::take(const std::string& site, const v1::Done& done) {
  if (phase_ == Phase::kGathering) return {};
  if (phase_ == Phase::kAgreeing || done.run() != state_.run) {
    return fmt::format("expected the end of run {}, found that of '{}'", state_.run, done.run());
  }
  peers_.at(site).done = true;
  log(fmt::format("{}: has its results", site));
  finish_when_all_are_done();
  return {};
}

void Coordinator::finish_when_all_are_done() {
  for (const auto& [site, peer] : peers_) {
    if (!peer.done) return;
  }
  state_.finished = true;
  if (observer_.keep) observer_.keep(state_);
  phase_ = Phase::kFinished;
  exchange_.reset();
  v1::CoordinatorMessage message;
  message.mutable_finished()->set_run(state_.run);
  for (auto& [site, peer] : peers_) peer.told = peer.connection != 0;
  send_all(ToSite(std::move(message)));
}

Coordinator::Wrong Coordinator::take(const std::string& site, const v1::Image& image) {
  if (phase_ == Phase::kGathering) return {};
  Peer& peer = peers_.at(site);
  if (phase_ != Phase::kRunning || image.run() != state_.run) {
    return fmt::format("expected an image of run {}, found one of '{}'", state_.run, image.run());
  }
  if (image.name() != site && !(image.name() == "other" && site == options_.other_at)) {
    return fmt::format("expected the site's own image, found that of '{}'", image.name());
  }
  if (image.offset() == 0) {
    peer.image_name = image.name();
    peer.image.clear();
  }
  const std::size_t count = image.values().size() / sizeof(float);
  if (image.name() != peer.image_name || image.offset() != peer.image.size() || count == 0 ||
      image.values().size() % sizeof(float) != 0 || count > kChunkWords ||
      peer.image.size() + count > options_.image_values) {
    return fmt::format("expected an image of {} values in chunks, found {} bytes from {} on",
                       options_.image_values, image.values().size(), image.offset());
  }
  peer.image.resize(peer.image.size() + count);
  std::copy_n(image.values().data(), image.values().size(),
              reinterpret_cast<char*>(peer.image.data() + image.offset()));
  if (peer.image.size() < options_.image_values) return {};
  log(fmt::format("{}: has published its image{}", site,
                  image.name() == site ? "" : " of " + image.name()));
  if (observer_.on_image) observer_.on_image(site, image.name(), peer.image);
  peer.image = {};
  return {};
}

bool Coordinator::connected() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(peers_.begin(), peers_.end(),
                     [](const auto& p) { return p.second.connection != 0; });
}

bool Coordinator::missed_by_some() const {
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
