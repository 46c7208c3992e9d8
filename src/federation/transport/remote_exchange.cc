#include "federation/transport/remote_exchange.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "federation/protocol/exchange.h"
#include "federation/secure/peer_text.h"

namespace firm {
namespace {

static_assert(std::endian::native == std::endian::little, "words travel as they are in memory");

// The fields of a message of the coordinator that are not as they have to be.
class WrongFields {
 public:
  void compare(std::string_view field, std::uint64_t expected, std::uint64_t found) {
    if (expected == found) return;
    expected_.push_back(fmt::format("{} {}", field, expected));
    found_.push_back(fmt::format("{} {}", field, found));
  }
  void compare(const v1::Position& expected, const v1::Position& found) {
    compare("attempt", expected.attempt(), found.attempt());
    compare("exchange", expected.exchange(), found.exchange());
    compare("try", expected.try_(), found.try_());
  }
  bool empty() const { return expected_.empty(); }
  std::string expected() const { return fmt::format("{}", fmt::join(expected_, ", ")); }
  std::string found() const { return fmt::format("{}", fmt::join(found_, ", ")); }

 private:
  std::vector<std::string> expected_;
  std::vector<std::string> found_;
};

}  // namespace

RemoteExchange::RemoteExchange(Setup setup)
    : setup_(std::move(setup)), totals_(setup_.totals), seen_(setup_.totals) {}

bool RemoteExchange::checkpoint_asked() { return std::exchange(checkpoint_asked_, false); }

void RemoteExchange::report(SiteState state) const {
  if (setup_.on_state) setup_.on_state(state);
}

v1::Position RemoteExchange::position() const {
  v1::Position position;
  position.set_attempt(setup_.attempt);
  position.set_exchange(exchange_);
  position.set_try_(try_);
  return position;
}

MaskPosition RemoteExchange::mask_position(const std::string& opener) const {
  return {exchange_, (std::uint64_t{setup_.attempt} << 32) | try_, seen_.text(), opener};
}

bool RemoteExchange::opens(const std::string& opener) const {
  return !setup_.masker || opener.empty() || opener == setup_.site;
}

std::optional<int> RemoteExchange::sum(const ShareView& share, std::optional<int> exponent,
                                       const std::string& opener) {
  report(SiteState::kSending);
  ShareView all = share;
  if (exponent) {
    asked_bits_ = fraction_bits_with_room(*exponent, setup_.sites);
    send_range(*exponent, share.words.size());
  } else {
    commit(share);
    all = sealed(share, opener);
    send_share(all);
  }
  report(SiteState::kWaiting);
  const std::optional<int> scale = receive_total(all);
  report(SiteState::kComputing);
  if (scale) return scale;
  if (exponent) throw wrong_sum("a scale", "a sum");
  open(all, share.scalars, opener);
  ++exchange_;
  try_ = 0;
  asked_bits_.reset();
  return {};
}

SharePosition RemoteExchange::share_position() const {
  return {setup_.run, setup_.site, setup_.attempt, exchange_, try_};
}

void RemoteExchange::commit(const ShareView& share) {
  const PlainShare plain{share.words, share.scalars, share.fraction_bits};
  const std::string salt = random_salt();
  commitment_ = commitment_to(plain, share_position(), salt);
  if (setup_.kept != nullptr) setup_.kept->keep(plain, share_position(), salt);
}

ShareView RemoteExchange::sealed(const ShareView& share, const std::string& opener) {
  if (!setup_.masker) return share;
  scalars_.assign(share.scalars.begin(), share.scalars.end());
  if (try_ > 0) scalars_.push_back({asked_bits_ == share.fraction_bits ? 1U : 0U});
  ShareView all{share.words, share.fraction_bits, scalars_};
  tag_ = setup_.masker->tag(all, mask_position(opener));
  const Tags tags = tag_->of(all.words, all.scalars);
  scalars_.insert(scalars_.end(), tags.begin(), tags.end());
  all.scalars = scalars_;
  setup_.masker->mask(all, mask_position(opener));
  return all;
}

// totals_ hashes the opened sums, without tags, which are the same in every attempt, so that sites
// can compare them. seen_ also hashes sums for one site, as they were sent, since to the others
// they are noise.
void RemoteExchange::open(const ShareView& sum, std::span<ScalarWord> scalars,
                          const std::string& opener) {
  const auto unmask = [&] {
    if (!setup_.masker || !opens(opener)) return;
    setup_.masker->unmask(sum, mask_position(opener));
    check(sum, scalars.size());
  };
  const auto hash = [&] { return hash_of_sum(sum.words, sum.scalars.first(scalars.size())); };
  if (opener.empty()) unmask();
  LedgerTotal total{setup_.attempt,   exchange_,      try_,
                    sum.words.size(), scalars.size(), sum.fraction_bits,
                    opener,           hash(),         {}};
  if (opener.empty()) {
    totals_.add(total.sha256);
    total.opened = total.sha256;
  } else if (opens(opener)) {
    unmask();
    total.opened = hash();
  }
  seen_.add(total.sha256);  // last, since masks depend on it
  setup_.ledger->record_total(total);
  std::ranges::copy(sum.scalars.first(scalars.size()), scalars.begin());
}

// Throws unless the sum is that of the sites' shares, in a scale that one of them needs. (A scale
// too fine for a site is refused when it arrives.)
void RemoteExchange::check(const ShareView& sum, std::size_t own_scalars) const {
  const std::size_t tagged = sum.scalars.size() - Tags().size();
  Tags tags;
  std::ranges::copy(sum.scalars.subspan(tagged), tags.begin());
  if (!tag_->matches(sum.words, sum.scalars.first(tagged), tags, setup_.sites)) {
    throw wrong_sum(fmt::format("the sum of the shares of {} sites", setup_.sites),
                    "one that fails the check of its tags");
  }
  if (try_ > 0 && sum.scalars[own_scalars] == ScalarWord{}) {
    throw wrong_sum("the scale that a site has asked for",
                    fmt::format("{} fraction bits, which none needs", sum.fraction_bits));
  }
}

WrongSum RemoteExchange::wrong_sum(const std::string& expected, const std::string& found) const {
  return WrongSum(fmt::format("exchange {} of attempt {}: expected {}, found {}", exchange_,
                              setup_.attempt, expected, found));
}

void RemoteExchange::require(const v1::Position& expected, const v1::Position& found) const {
  WrongFields wrong;
  wrong.compare(expected, found);
  if (!wrong.empty()) throw wrong_sum(wrong.expected(), wrong.found());
}

void RemoteExchange::send_range(int exponent, std::size_t length) {
  v1::SiteMessage message;
  v1::Range& range = *message.mutable_range();
  *range.mutable_position() = position();
  range.set_exponent(exponent);
  range.set_length(length);
  send_recorded(*setup_.channel, *setup_.ledger, message);
}

void RemoteExchange::send_share(const ShareView& all) {
  std::size_t offset = 0;
  std::size_t taken = 0;
  do {
    const std::size_t count = std::min(kChunkWords, all.words.size() - offset);
    wait_for_room(offset + count, taken);
    v1::SiteMessage message;
    v1::Share& share = *message.mutable_share();
    *share.mutable_position() = position();
    share.set_length(all.words.size());
    share.set_offset(offset);
    share.set_words(all.words.data() + offset, count * sizeof(std::uint32_t));
    offset += count;
    if (offset == all.words.size()) {
      share.set_last(true);
      share.set_scalars(all.scalars.data(), all.scalars.size_bytes());
    }
    send_recorded(*setup_.channel, *setup_.ledger, message, {kind_, commitment_});
  } while (offset < all.words.size());
}

void RemoteExchange::wait_for_room(std::size_t end, std::size_t& taken) {
  while (end > taken + kAheadWords) {
    const v1::CoordinatorMessage message = receive_within_attempt(*setup_.channel);
    if (!message.has_taken()) {
      throw wrong_sum("how much of the share has been taken", "another message");
    }
    require(position(), message.taken().position());
    if (message.taken().words() <= taken) {
      throw wrong_sum(fmt::format("more than {} words to be taken", taken),
                      fmt::format("{}", message.taken().words()));
    }
    taken = message.taken().words();
  }
}

std::optional<int> RemoteExchange::receive_total(const ShareView& share) {
  std::size_t received = 0;
  for (;;) {
    const v1::CoordinatorMessage message = receive_within_attempt(*setup_.channel);
    if (message.has_taken() && received == 0) continue;  // a late answer to the last words
    if (message.has_scale() && received == 0) return receive_scale(message.scale());
    if (!message.has_total()) throw wrong_sum("a sum", "another message");
    receive_chunk(message.total(), share, received);
    received += message.total().words().size() / sizeof(std::uint32_t);
    if (message.total().last()) return {};
  }
}

int RemoteExchange::receive_scale(const v1::Scale& scale) {
  v1::Position next = position();
  next.set_try_(try_ + 1);
  require(next, scale.position());
  if (scale.fraction_bits() < kLeastFractionBits || scale.fraction_bits() > kMostFractionBits) {
    throw wrong_sum(
        fmt::format("a scale of {} to {} fraction bits", kLeastFractionBits, kMostFractionBits),
        fmt::format("{}", scale.fraction_bits()));
  }
  if (try_ > 0) throw wrong_sum("one scale, which holds the values of all sites", "a second");
  if (asked_bits_ && scale.fraction_bits() > *asked_bits_) {
    throw wrong_sum(
        fmt::format("a scale of at most {} fraction bits, which this site needs", *asked_bits_),
        fmt::format("{}", scale.fraction_bits()));
  }
  ++try_;
  return scale.fraction_bits();
}

void RemoteExchange::receive_chunk(const v1::Total& total, const ShareView& share,
                                   std::size_t received) {
  const std::size_t rest = (share.words.size() - received) * sizeof(std::uint32_t);
  const std::size_t bytes = total.words().size();
  const bool more_may_come = bytes > 0 && bytes < rest && bytes % sizeof(std::uint32_t) == 0;
  WrongFields wrong;
  wrong.compare(position(), total.position());
  wrong.compare("length", share.words.size(), total.length());
  wrong.compare("offset", received, total.offset());
  wrong.compare("bytes of words", more_may_come && !total.last() ? bytes : rest, bytes);
  if (bytes == rest) wrong.compare("last", 1, total.last() ? 1 : 0);
  if (total.last()) {
    wrong.compare("bytes of scalars", share.scalars.size_bytes(), total.scalars().size());
  }
  if (!wrong.empty()) throw wrong_sum(wrong.expected(), wrong.found());
  std::copy_n(total.words().data(), total.words().size(),
              reinterpret_cast<char*>(share.words.data() + received));
  if (!total.last()) return;
  std::copy_n(total.scalars().data(), total.scalars().size(),
              reinterpret_cast<char*>(share.scalars.data()));
  checkpoint_asked_ = checkpoint_asked_ || total.checkpoint();
}

RemoteExchange join_attempt(const KeyExchange& with, const v1::Begin& begin,
                            std::function<void(SiteState)> on_state) {
  RemoteExchange::Setup setup{&with.channel,
                              &with.ledger,
                              with.site,
                              begin.attempt(),
                              static_cast<std::size_t>(begin.members_size()),
                              {},
                              with.totals,
                              std::move(on_state),
                              peer_text(begin.run()),
                              with.kept};
  with.ledger.record_begin(begin, with.site, with.study);
  if (begin.secure()) setup.masker = exchange_keys(with, begin);
  return RemoteExchange(std::move(setup));
}

}  // namespace firm
