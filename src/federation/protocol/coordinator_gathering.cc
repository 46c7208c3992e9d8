// Coordinator: gathers the sites, begins attempts and abandons them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/rand.h>

#include <algorithm>
#include <utility>

#include "federation/protocol/coordinator.h"
#include "federation/protocol/member_check.h"
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

constexpr std::size_t kMostDifferences = 20;

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

// Lists the fields in which two lists of terms differ.
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

}  // namespace

// Checks everything in a Hello that does not depend on the other sites.
Coordinator::Rejection Coordinator::check_hello(const std::string& site,
                                                const v1::Hello& hello) const {
  if (hello.protocol() != kProtocol) {
    return fmt::format("expected protocol {} (firm {}), found protocol {} (firm {})", kProtocol,
                       kVersion, hello.protocol(), peer_text(hello.software(), kLongestReason));
  }
  if (hello.site() != site) {
    return fmt::format("expected the site of the certificate, {}, found {}", site,
                       peer_text(hello.site(), kLongestReason));
  }
  if (phase_ != Phase::kGathering && phase_ != Phase::kFinished) {
    return "expected Hello before an attempt, found it within one";
  }
  if (Rejection oversized = oversized_field(hello, options_.terms.size())) return oversized;
  const auto differing = differences(as_map(options_.terms), as_map(hello.terms()));
  if (!differing.empty()) {
    std::string text = "the study differs from the coordinator's:";
    for (std::size_t k = 0; k < std::min(differing.size(), kMostDifferences); ++k) {
      const Difference& d = differing[k];
      text +=
          fmt::format("\n  {}: expected {}, found {}", peer_text(d.field, kLongestReason),
                      peer_text(d.coordinator, kLongestReason), peer_text(d.site, kLongestReason));
    }
    if (differing.size() > kMostDifferences) {
      text += fmt::format("\n  and {} more", differing.size() - kMostDifferences);
    }
    return text;
  }
  if (rays_in(hello.geometry()) > kMostRays) {
    return fmt::format("expected at most {} rays, found {}", kMostRays, rays_in(hello.geometry()));
  }
  try {
    if (options_.check_member) options_.check_member(site, hello.geometry(), hello.noise());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Coordinator::Rejection Coordinator::handle(const std::string& site, const v1::Hello& hello) {
  if (Rejection rejection = check_hello(site, hello)) return rejection;
  Peer& peer = peers_.at(site);
  // Sending it again changes nothing; telling all sites each time would be work for nothing.
  if (peer.ready && phase_ == Phase::kGathering) {
    if (peer.hello.SerializeAsString() == hello.SerializeAsString()) return {};
    return "expected one Hello before an attempt, found another";
  }
  peer.hello = hello;
  peer.ready = true;
  peer.in_attempt = false;
  peer.done = hello.done() && hello.run() == state_.run;
  if (phase_ == Phase::kFinished) return send_finished(site);
  announce_missing(site);
  begin_when_all_ready();
  return {};
}

// Answers a site that connects after the end of the run.
Coordinator::Rejection Coordinator::send_finished(const std::string& site) {
  Peer& peer = peers_.at(site);
  if (!peer.done) {
    return fmt::format(
        "run {} is finished; this site has results of run '{}'. A new run needs new directories, "
        "here and there",
        state_.run, peer.hello.run());
  }
  v1::CoordinatorMessage message;
  message.mutable_finished()->set_run(state_.run);
  send(site, std::move(message));
  peer.told = true;
  return {};
}

// Tells the site that has just sent Hello which sites are missing, and the others if they do not
// know: a site that comes and goes must not keep them busy.
void Coordinator::announce_missing(const std::string& arrived) {
  std::vector<std::string> missing;
  for (const auto& [site, peer] : peers_) {
    if (!peer.ready) missing.push_back(site);
  }
  if (missing.empty()) return;
  const bool news = missing != announced_;
  if (news) log(attempt_events_, fmt::format("waiting for {}", fmt::join(missing, ", ")));
  announced_ = missing;
  v1::CoordinatorMessage message;
  for (const std::string& site : missing) message.mutable_waiting()->add_sites(site);
  const ToSite waiting(std::move(message));
  for (auto& [site, peer] : peers_) {
    if (peer.connection == 0 || !(news || site == arrived || !peer.knows_missing)) continue;
    peer.outbox(waiting);
    peer.knows_missing = true;
  }
}

// Returns 0 when there is none: the run starts from the beginning.
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

void Coordinator::begin_when_all_ready() {
  for (const auto& [site, peer] : peers_) {
    if (!peer.ready) return;
  }
  // A site that publishes may not have sent its whole image: it does so in another attempt.
  const bool all_done = std::all_of(peers_.begin(), peers_.end(), [](const auto& p) {
    return p.second.done && !p.second.hello.publishes();
  });
  if (all_done) return finish_when_all_done();
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
    peer.in_attempt = true;
    peer.image = {};
    peer.published.clear();
  }
  announced_.clear();
  log(attempt_events_, fmt::format("attempt {} begins at round {}", state_.attempt, begin.round()));
  offers_.clear();
  sealed_keys_.reset();
  exchange_.emplace(options_.sites, 0);
  last_checkpoint_ = std::chrono::steady_clock::now();
  phase_ = options_.secure ? Phase::kAgreeing : Phase::kRunning;
  send_all(ToSite(std::move(message)));
}

// A wrong sum is passed on also when the attempt has been abandoned for another reason: the site
// that has found it ends, and the others must not wait for it.
void Coordinator::abandon(const std::string& reason, bool wrong_sum) {
  const bool begun = phase_ == Phase::kAgreeing || phase_ == Phase::kRunning;
  if (!begun && !(wrong_sum && phase_ == Phase::kGathering)) return;
  if (begun) log(attempt_events_, fmt::format("attempt {} abandoned: {}", state_.attempt, reason));
  phase_ = Phase::kGathering;
  exchange_.reset();
  v1::CoordinatorMessage message;
  message.mutable_abandon()->set_attempt(state_.attempt);
  message.mutable_abandon()->set_reason(peer_text(reason));
  message.mutable_abandon()->set_wrong_sum(wrong_sum);
  send_all(ToSite(std::move(message)));
}

Coordinator::Rejection Coordinator::handle(const std::string& site, const v1::Failure& failure) {
  const std::string text =
      fmt::format("cannot continue: {}", peer_text(failure.message(), kLongestReason));
  Peer& peer = peers_.at(site);
  log(peer, fmt::format("{}: {}", site, text));
  peer.ready = false;
  const bool wrong_sum = failure.wrong_sum() && std::exchange(peer.in_attempt, false);
  if (wrong_sum) {
    log(wrong_sums_, fmt::format("{}: says that the coordinator is wrong in attempt {}, which ends "
                                 "all sites",
                                 site, state_.attempt));
  }
  abandon(fmt::format("{} {}", site, text), wrong_sum);
  return {};
}

}  // namespace firm
