// RemoteExchange: a WordExchange through a coordinator, masked.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "federation/protocol/key_exchange.h"
#include "federation/protocol/ledger.h"
#include "federation/secure/masking.h"
#include "federation/protocol/site_channel.h"
#include "federation/protocol/site_state.h"
#include "federation/sums/sum_chain.h"
#include "federation/sums/word_exchange.h"

namespace firm {

class RemoteExchange : public WordExchange {
 public:
  struct Setup {
    SiteChannel* channel = nullptr;
    Ledger* ledger = nullptr;
    std::string site;  // this one
    std::uint32_t attempt = 0;
    std::size_t sites = 0;
    std::optional<Masker> masker;                  // none: the coordinator sees what sites send
    SumChain totals = {};                          // of the sums before this attempt
    std::function<void(SiteState)> on_state = {};  // may be empty
  };

  explicit RemoteExchange(Setup setup);

  std::size_t sites() const override { return setup_.sites; }
  // Throws ChannelLost and AttemptAbandoned; firm::Error (kNetwork) for an answer that does not
  // fit.
  std::optional<int> sum(const ShareView& share, std::optional<int> exponent,
                         const std::string& opener) override;
  bool opens(const std::string& opener) const override;

  // The sums of the run that all may open, also those before this attempt. They are part of a
  // checkpoint: sites that have not had the same do not go on together.
  void archive(Archive& archive) { totals_.archive(archive); }
  const SumChain& totals() const { return totals_; }

  // That are done.
  std::uint64_t exchanges() const { return exchange_; }
  // Whether the coordinator has asked for it since the last call.
  bool checkpoint_asked() override;

 private:
  void tell(SiteState state) const;
  v1::Position position() const;
  MaskPosition mask_position(const std::string& opener) const;
  void send_range(int exponent, std::size_t length);
  void send_share(const ShareView& all);
  // Waits until the words up to `end` may be sent; `taken` is how many the coordinator has taken.
  void wait_for_room(std::size_t end, std::size_t& taken);
  // Takes the pad off the sum, if this site may, and adds the sum to the chains.
  void open(const ShareView& sum, const std::string& opener);
  // The sum, into the share, or the scale that came instead.
  std::optional<int> receive_total(const ShareView& share);
  void take_chunk(const v1::Total& total, const ShareView& share, std::size_t received);
  int take_scale(const v1::Scale& scale);

  Setup setup_;
  std::uint64_t exchange_ = 0;
  std::uint32_t try_ = 0;
  SumChain totals_;  // of the run
  SumChain seen_;    // in this attempt: what the masks depend on
  bool checkpoint_asked_ = false;
};

// How a site takes part in an attempt: under masks if it is a secure one, for which keys are
// exchanged first. Throws what exchange_keys throws.
RemoteExchange join_attempt(const KeyExchange& with, const v1::Begin& begin,
                            std::function<void(SiteState)> on_state = {});

}  // namespace firm
