// WordExchange: one sum over sites in integers, whatever carries it.
//
// The transports are LocalExchange (threads of one process, or of several by MPI) and
// RemoteExchange (a coordinator, by gRPC). Integers add up to the same bits in any order, so runs
// over all three give the same images.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "federation/sums/scalar_word.h"

namespace firm {

// In one exchange: 128 KiB of them, so that with a chunk of words they are a message of a quarter
// of what is allowed.
inline constexpr std::size_t kMostScalars = 4096;

// The words of one exchange, in place.
struct ShareView {
  std::span<std::uint32_t> words = {};
  int fraction_bits = 0;               // of the words
  std::span<ScalarWord> scalars = {};  // at most kMostScalars
};

class WordExchange {
 public:
  virtual ~WordExchange() = default;

  // Whose words and scalars are added up.
  virtual std::size_t sites() const = 0;

  // Replaces the share by the sum over all sites, and returns nothing; or, when the values of some
  // site did not fit, returns the fraction bits with which all are to send again.
  //
  // `exponent` is set where they do not fit here: |x| < 2^exponent for all of them, and the words
  // are of no use. `opener` is the one site that may read the sum; empty when all may.
  virtual std::optional<int> sum(const ShareView& share, std::optional<int> exponent,
                                 const std::string& opener) = 0;
  // Whether this site can read such a sum; to others it is noise.
  virtual bool opens(const std::string& /*opener*/) const { return true; }

  // Where the slices of a site are spread over processes: how many have some; the sum over them,
  // and the largest of their numbers.
  virtual std::size_t slice_groups() const { return 1; }
  virtual void sum_slices(std::span<ScalarWord> /*scalars*/) {}
  virtual int largest_of_slices(int number) { return number; }

  // Whether all are to keep their state; asked once after every sum.
  virtual bool checkpoint_asked() = 0;
};

}  // namespace firm
