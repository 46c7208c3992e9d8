// Exchange: the coordinator's side of one sum over sites.
//
// Words are added up as chunks arrive, in any order of sites, so that memory holds one vector, not
// one per site. The chunks of a site arrive in order. The exchange remembers a fingerprint of each:
// the same chunk again changes nothing, a different one at the same position is refused.
//
// All shares have the same length and number of scalars, and a scale holds all values. Where two
// sites contradict each other, nobody can tell which is wrong: the attempt ends, and neither is
// refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "federation/protocol/site_state.h"
#include "federation/secure/fingerprint.h"
#include "federation/sums/word_exchange.h"
#include "firm/v1/federation.pb.h"

namespace firm {

inline constexpr std::size_t kScalarBytes = 32;
// 128 KiB: the copies of a chunk as message, as bytes and encrypted together fit the second-level
// cache.
inline constexpr std::size_t kChunkWords = std::size_t{1} << 15;

// A site may be ahead of the coordinator by this many words, 4 MiB: those sent but not acknowledged
// by a Taken message. The coordinator acknowledges in steps of kTakenWords.
inline constexpr std::size_t kAheadWords = std::size_t{1} << 20;
inline constexpr std::size_t kTakenWords = kAheadWords / 4;

inline constexpr std::uint64_t kMostRays = std::uint64_t{1} << 26;  // of a site: 8192 x 8192
inline constexpr std::uint64_t kLargestVector = std::uint64_t{1} << 34;
inline constexpr std::int32_t kLargestExponent = 200;

inline std::uint64_t rays_in(const v1::Geometry& geometry) {
  return static_cast<std::uint64_t>(geometry.angles_size()) * geometry.beamlets();
}

// Why a message of a site is not accepted.
struct Objection {
  std::string text;
  bool disagrees = false;  // with another site, of which either may be wrong
};

class Exchange {
 public:
  Exchange(std::vector<std::string> sites, std::uint64_t number);

  std::uint64_t number() const { return number_; }
  std::uint32_t try_number() const { return try_; }

  // Add the message of a site, or return why not.
  std::optional<Objection> add(const std::string& site, const v1::Share& share);
  std::optional<Objection> add(const std::string& site, const v1::Range& range);

  // State of a site within this exchange: computing, sending, or waiting for the others.
  SiteState state_of(const std::string& site) const;
  // Returns whether all sites have sent their whole share, or a range instead.
  bool complete() const;
  // Returns whether some site has sent a range because its values do not fit the words.
  bool needs_scale() const;
  // The largest exponent received.
  std::int32_t exponent() const { return exponent_; }
  // Discards all shares; sites send them again in the next try.
  void start_next_try();

  // Moves the sum out of the exchange.
  std::vector<std::uint32_t> release_words() { return std::move(words_); }
  const std::vector<unsigned char>& scalars() const { return scalars_; }

 private:
  struct Sent {
    std::uint64_t length = 0;  // of the share, once a chunk or a range has arrived
    std::uint64_t words = 0;   // received so far; with a range, the length of the share
    bool last = false;
    bool range = false;
    std::int32_t exponent = 0;                    // of the range
    std::map<std::uint64_t, Fingerprint> chunks;  // by offset
  };

  // A number that all sites have to agree on, and the first of them that has sent it.
  struct Claim {
    std::uint64_t number = 0;
    std::string site;
  };

  std::optional<std::string> check(const Sent& sent, const v1::Share& share) const;
  // Returns the objection if another site has sent another number of `things` before.
  static std::optional<Objection> compare(const std::optional<Claim>& first, const Claim& now,
                                          const char* things);
  Objection second_range(const std::string& site) const;
  void add_words(const v1::Share& share);
  void add_scalars(const std::string& bytes);

  std::vector<std::string> sites_;
  std::uint64_t number_;
  std::uint32_t try_ = 0;
  FingerprintMaker fingerprint_;
  std::map<std::string, Sent> sent_;
  std::optional<Claim> length_;
  std::optional<Claim> scalar_count_;
  std::int32_t exponent_ = 0;
  std::set<std::string> asked_;  // sites that sent a range in an earlier try
  std::vector<std::uint32_t> words_;
  std::vector<unsigned char> scalars_;
};

}  // namespace firm
