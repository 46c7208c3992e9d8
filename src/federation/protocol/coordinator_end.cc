// Coordinator: published images and the end of a run.
#include <fmt/format.h>

#include <algorithm>

#include "federation/protocol/coordinator.h"
#include "federation/secure/peer_text.h"

namespace firm {

Coordinator::Rejection Coordinator::handle(const std::string& site, const v1::Done& done) {
  if (phase_ == Phase::kGathering) return {};
  if (phase_ == Phase::kAgreeing || done.run() != state_.run) {
    return fmt::format("expected the end of run {}, found that of '{}'", state_.run,
                       peer_text(done.run(), kLongestReason));
  }
  if (phase_ == Phase::kFinished) return {};
  if (!sum_sent()) {
    return fmt::format("expected results after the sums of attempt {}, found them before the first",
                       state_.attempt);
  }
  peers_.at(site).done = true;
  log(peers_.at(site), fmt::format("{}: has its results", site));
  finish_when_all_done();
  return {};
}

void Coordinator::finish_when_all_done() {
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

Coordinator::Rejection Coordinator::check_image(const std::string& site,
                                                const v1::Image& image) const {
  const std::string name = peer_text(image.name(), kLongestReason);
  if (phase_ != Phase::kRunning || image.run() != state_.run || !sum_sent()) {
    return fmt::format("expected an image after the sums of run {}, found one of '{}'", state_.run,
                       peer_text(image.run(), kLongestReason));
  }
  if (!peers_.at(site).hello.publishes()) {
    return "expected no image, as the Hello of this site says, found one";
  }
  if (image.name() != site && !(image.name() == "other" && site == options_.other_at)) {
    return fmt::format("expected the site's own image, found that of '{}'", name);
  }
  if (peers_.at(site).published.contains(image.name())) {
    return fmt::format("expected the image of '{}' once in an attempt, found it again", name);
  }
  return {};
}

Coordinator::Rejection Coordinator::handle(const std::string& site, const v1::Image& image) {
  if (phase_ == Phase::kGathering) return {};
  if (Rejection rejection = check_image(site, image)) return rejection;
  Peer& peer = peers_.at(site);
  if (image.offset() == 0) {  // the first chunk, perhaps of a second try
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
  peer.published.insert(image.name());
  log(peer, fmt::format("{}: has published its image{}", site,
                        image.name() == site ? "" : " of " + image.name()));
  if (observer_.on_image) published_ = {site, image.name(), std::move(peer.image)};
  peer.image = {};
  return {};
}

}  // namespace firm
