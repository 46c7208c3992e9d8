// RemoteExchange: a WordExchange through a coordinator, with masked shares.
//
// The coordinator is not trusted to add up. With masks, a share carries scalars of the exchange
// after those of the caller: in a try after a Scale, whether this site has asked for exactly that
// scale; then the tags of all words and scalars before them (sum_tag.h). A sum that fails the check
// of its tags, a scale that no site has asked for, or an answer that no honest coordinator gives,
// throws WrongSum.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "federation/audit/kept_shares.h"
#include "federation/protocol/key_exchange.h"
#include "federation/protocol/ledger.h"
#include "federation/protocol/site_channel.h"
#include "federation/protocol/site_state.h"
#include "federation/secure/masking.h"
#include "federation/secure/sum_tag.h"
#include "federation/sums/sum_chain.h"
#include "federation/sums/word_exchange.h"
#include "federation/sums/wrong_sum.h"

namespace firm {

class RemoteExchange : public WordExchange {
 public:
  struct Setup {
    SiteChannel* channel = nullptr;
    Ledger* ledger = nullptr;
    std::string site;  // name of this site
    std::uint32_t attempt = 0;
    std::size_t sites = 0;
    std::optional<Masker> masker;                  // if empty, the coordinator sees the shares
    SumChain totals = {};                          // chain of the sums before this attempt
    std::function<void(SiteState)> on_state = {};  // may be empty
    std::string run = {};
    const KeptShares* kept = nullptr;  // if set, keeps every share
  };

  explicit RemoteExchange(Setup setup);

  std::size_t sites() const override { return setup_.sites; }
  // Throws ChannelLost, AttemptAbandoned, Refused and WrongSum.
  std::optional<int> sum(const ShareView& share, std::optional<int> exponent,
                         const std::string& opener) override;
  bool opens(const std::string& opener) const override;
  void name_sums(const std::string& kind) override { kind_ = kind; }

  // The chain of the sums of the run that all may open, including those before this attempt. It is
  // part of a checkpoint: sites with different chains do not resume together.
  void archive(Archive& archive) { totals_.archive(archive); }
  const SumChain& totals() const { return totals_; }

  // Number of completed exchanges.
  std::uint64_t exchanges() const { return exchange_; }
  // Returns whether the coordinator has asked for a checkpoint since the last call.
  bool checkpoint_asked() override;

 private:
  void report(SiteState state) const;
  v1::Position position() const;
  MaskPosition mask_position(const std::string& opener) const;
  void send_range(int exponent, std::size_t length);
  void send_share(const ShareView& all);
  // Waits until the words up to `end` may be sent; `taken` counts those acknowledged.
  void wait_for_room(std::size_t end, std::size_t& taken);
  SharePosition share_position() const;
  // Writes down which share will be sent, before it is masked.
  void commit(const ShareView& share);
  // Adds the scalars of the exchange to the share, and masks it.
  ShareView sealed(const ShareView& share, const std::string& opener);
  // Unmasks the sum, if this site may, checks it, and adds it to the chains. The sum of the
  // caller's scalars goes into `scalars`.
  void open(const ShareView& sum, std::span<ScalarWord> scalars, const std::string& opener);
  void check(const ShareView& sum, std::size_t own_scalars) const;
  // Receives the sum into the share, or returns the scale that arrived instead.
  std::optional<int> receive_total(const ShareView& share);
  void receive_chunk(const v1::Total& total, const ShareView& share, std::size_t received);
  int receive_scale(const v1::Scale& scale);
  // Throws WrongSum unless the message is for the expected position.
  void require(const v1::Position& expected, const v1::Position& found) const;
  WrongSum wrong_sum(const std::string& expected, const std::string& found) const;

  Setup setup_;
  std::uint64_t exchange_ = 0;
  std::uint32_t try_ = 0;
  SumChain totals_;                  // sums of the run that all may open
  SumChain seen_;                    // and all sums of this attempt; the masks depend on it
  std::optional<int> asked_bits_;    // the scale that this site needs, if it has sent a Range
  std::vector<ScalarWord> scalars_;  // of the share, with those of the exchange
  std::optional<SumTag> tag_;        // of the sum
  std::string commitment_;           // to the share
  bool checkpoint_asked_ = false;
  std::string kind_;  // of the sums that follow, for the ledger; empty: the message's own
};

// Joins an attempt; in a secure one, exchanges keys first and masks the shares. Throws what
// exchange_keys throws.
RemoteExchange join_attempt(const KeyExchange& with, const v1::Begin& begin,
                            std::function<void(SiteState)> on_state = {});

}  // namespace firm
