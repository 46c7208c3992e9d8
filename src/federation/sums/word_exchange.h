// WordExchange: a sum of integers over sites, independent of the transport.
//
// The transports are LocalExchange (threads of one process, or of several through MPI) and
// RemoteExchange (a coordinator, through gRPC). Integers add up to the same bits in any order, so
// runs over all three give the same images.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "federation/sums/scalar_word.h"

namespace firm {

// Limit for one exchange: 128 KiB of scalars, so that together with a chunk of words they make a
// message of a quarter of the allowed size.
inline constexpr std::size_t kMostScalars = 4096;
// Scalars among them that an exchange needs itself, to check its sums.
inline constexpr std::size_t kCheckScalars = 3;

// The words of one exchange, in place.
struct ShareView {
  std::span<std::uint32_t> words = {};
  int fraction_bits = 0;               // of the words
  std::span<ScalarWord> scalars = {};  // at most kMostScalars - kCheckScalars
};

class WordExchange {
 public:
  virtual ~WordExchange() = default;

  // Number of sites whose words and scalars are added up.
  virtual std::size_t sites() const = 0;

  // Replaces the share by the sum over all sites and returns nothing. When the values of some site
  // do not fit its words, returns instead the fraction bits with which all sites must try again.
  //
  // A site whose values do not fit sets `exponent`, |x| < 2^exponent for all of them; its words are
  // then ignored. `opener` is the only site that may read the sum; empty: all may.
  virtual std::optional<int> sum(const ShareView& share, std::optional<int> exponent,
                                 const std::string& opener) = 0;
  // Returns whether this site can read a sum for `opener`; to the others it is noise.
  virtual bool opens(const std::string& /*opener*/) const { return true; }

  // Names the sums that follow, as in Collective.
  virtual void name_sums(const std::string& /*kind*/) {}

  // For a site whose slices are spread over processes: the number of processes, the sum over them,
  // and the largest number among them.
  virtual std::size_t slice_groups() const { return 1; }
  virtual void sum_slices(std::span<ScalarWord> /*scalars*/) {}
  virtual int largest_of_slices(int number) { return number; }

  // Returns whether all sites must save a checkpoint now; called once after every sum.
  virtual bool checkpoint_asked() = 0;
};

}  // namespace firm
