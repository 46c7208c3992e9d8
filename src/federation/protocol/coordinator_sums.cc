// Coordinator: passes keys from site to site, and computes the sums.
#include <fmt/format.h>

#include <algorithm>

#include "federation/protocol/coordinator.h"
#include "federation/sums/fixed_point.h"

namespace firm {
namespace {

// A site may resend a message; the same bytes change nothing.
bool same_bytes(const auto& a, const auto& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

}  // namespace

// ---- agreeing ----------------------------------------------------------------------------------

Coordinator::Rejection Coordinator::check_attempt(std::uint32_t attempt, Phase phase) const {
  if (phase_ != phase) return "expected this message at another stage of the run";
  if (attempt == state_.attempt) return {};
  return fmt::format("expected attempt {}, found {}", state_.attempt, attempt);
}

Coordinator::Rejection Coordinator::handle(const std::string& site, const v1::Offer& offer) {
  if (phase_ == Phase::kGathering) return {};  // the attempt has been abandoned meanwhile
  const auto before = offers_.find(site);
  if (before != offers_.end() && same_bytes(before->second, offer)) return {};
  if (Rejection rejection = check_attempt(offer.attempt(), Phase::kAgreeing)) return rejection;
  if (offer.site() != site || before != offers_.end()) {
    return "expected one offer, under the site's own name, found another";
  }
  offers_[site] = offer;
  if (offers_.size() < peers_.size()) return {};
  v1::CoordinatorMessage message;
  message.mutable_offers()->set_attempt(state_.attempt);
  for (const auto& [name, each] : offers_) *message.mutable_offers()->add_offers() = each;
  send_all(ToSite(std::move(message)));
  return {};
}

// Passes the sealed group key of the first site on to each of the others; then the sums begin.
Coordinator::Rejection Coordinator::handle(const std::string& site, const v1::SealedKeys& keys) {
  if (phase_ == Phase::kGathering) return {};
  if (site == peers_.begin()->first && sealed_keys_ && same_bytes(*sealed_keys_, keys)) return {};
  if (Rejection rejection = check_attempt(keys.attempt(), Phase::kAgreeing)) return rejection;
  if (site != peers_.begin()->first || offers_.size() < peers_.size()) {
    return fmt::format("expected keys from {} after all offers, found them from {}",
                       peers_.begin()->first, site);
  }
  std::set<std::string> to;
  for (const v1::SealedKey& key : keys.keys()) to.insert(key.to());
  if (keys.keys_size() != static_cast<int>(to.size()) || to.size() + 1 != peers_.size() ||
      to.contains(site) ||
      !std::all_of(to.begin(), to.end(), [&](const auto& t) { return peers_.contains(t); })) {
    return "expected one key for every other site, found others";
  }
  for (const v1::SealedKey& key : keys.keys()) {
    v1::CoordinatorMessage message;
    *message.mutable_sealed_key() = key;
    send(key.to(), std::move(message));
  }
  sealed_keys_ = keys;
  phase_ = Phase::kRunning;
  return {};
}

// ---- running -----------------------------------------------------------------------------------

v1::Position Coordinator::position() const {
  v1::Position position;
  position.set_attempt(state_.attempt);
  position.set_exchange(exchange_->number());
  position.set_try_(exchange_->try_number());
  return position;
}

Coordinator::Rejection Coordinator::check_position(const v1::Position& p) const {
  if (Rejection rejection = check_attempt(p.attempt(), Phase::kRunning)) return rejection;
  if (p.exchange() == exchange_->number() && p.try_() == exchange_->try_number()) return {};
  return fmt::format("expected exchange {}, try {}, found exchange {}, try {}", exchange_->number(),
                     exchange_->try_number(), p.exchange(), p.try_());
}

// Scales are refined with two values for each of XRT's rays, on a grid that has the beamlets of the
// site with most of them and one more at either end.
std::uint64_t Coordinator::words_of_scales(const v1::Geometry& xrt) const {
  std::uint64_t beamlets = 0;
  for (const auto& [site, peer] : peers_) {
    beamlets = std::max<std::uint64_t>(beamlets, peer.hello.geometry().beamlets());
  }
  return 2 * options_.aligned_slices * static_cast<std::uint64_t>(xrt.angles_size()) *
         (beamlets + 2);
}

// Limits the length to what the study and the reported geometries need.
Coordinator::Rejection Coordinator::check_length(std::uint64_t words) const {
  std::uint64_t most = options_.most_words;
  const auto with_rays = peers_.find(options_.rays_of);
  if (with_rays != peers_.end()) {
    most = std::max(most, options_.slices * rays_in(with_rays->second.hello.geometry()));
    most = std::max(most, words_of_scales(with_rays->second.hello.geometry()));
  }
  if (words <= most) return {};
  return fmt::format("expected at most {} words, found {}", most, words);
}

// A site that contradicts another one is not refused, since the other may be wrong.
Coordinator::Rejection Coordinator::act_on(const Objection& objection) {
  if (!objection.disagrees) return objection.text;
  abandon(objection.text);
  return {};
}

Coordinator::Rejection Coordinator::handle(const std::string& site, const v1::Range& range) {
  if (phase_ == Phase::kGathering) return {};
  if (Rejection rejection = check_position(range.position())) return rejection;
  if (Rejection rejection = check_length(range.length())) return rejection;
  if (const auto objection = exchange_->add(site, range)) return act_on(*objection);
  complete_exchange();
  return {};
}

Coordinator::Rejection Coordinator::handle(const std::string& site, const v1::Share& share) {
  if (phase_ == Phase::kGathering) return {};
  if (Rejection rejection = check_position(share.position())) return rejection;
  if (Rejection rejection = check_length(share.length())) return rejection;
  if (const auto objection = exchange_->add(site, share)) return act_on(*objection);
  acknowledge(site, share);
  complete_exchange();
  return {};
}

// Shares that fit the window of a site (kAheadWords) need no answer before the sum.
void Coordinator::acknowledge(const std::string& site, const v1::Share& share) {
  const std::uint64_t taken = share.offset() + share.words().size() / sizeof(std::uint32_t);
  if (share.length() <= kAheadWords || share.last()) return;
  if (share.offset() / kTakenWords == taken / kTakenWords) return;
  v1::CoordinatorMessage message;
  *message.mutable_taken()->mutable_position() = position();
  message.mutable_taken()->set_words(taken);
  send(site, std::move(message));
}

void Coordinator::complete_exchange() {
  if (paused_ || !exchange_->complete()) return;
  if (!exchange_->needs_scale()) return send_total();
  const int bits = fraction_bits_with_room(exchange_->exponent(), options_.sites.size());
  exchange_->start_next_try();
  v1::CoordinatorMessage message;
  *message.mutable_scale()->mutable_position() = position();
  message.mutable_scale()->set_fraction_bits(bits);
  send_all(ToSite(std::move(message)));
}

void Coordinator::pause(bool on) {
  const std::lock_guard lock(mutex_);
  if (paused_ == on) return;
  paused_ = on;
  log(attempt_events_, on ? "paused" : "resumed");
  if (!on && phase_ == Phase::kRunning) complete_exchange();
}

void Coordinator::send_total() {
  const auto now = std::chrono::steady_clock::now();
  const bool checkpoint =
      std::chrono::duration<double>(now - last_checkpoint_).count() >= options_.checkpoint_seconds;
  if (checkpoint) last_checkpoint_ = now;
  Sum sum{position(), exchange_->release_words(), exchange_->scalars(), checkpoint};
  const std::size_t words = sum.words.size();
  send_all(ToSite(std::move(sum)));
  if (observer_.on_exchange) observer_.on_exchange(exchange_->number(), words);
  const std::uint64_t next = exchange_->number() + 1;
  exchange_.emplace(options_.sites, next);
}

}  // namespace firm
