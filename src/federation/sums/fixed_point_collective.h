// FixedPointCollective: sums over sites in fixed point, through a WordExchange.
//
// Sites agree on a scale when a vector of some length is first summed, and again when a site has
// values that the scale cannot hold. The scale becomes finer, without a message, when the values of
// all sites have become much smaller: a bound of them is part of every sum. The scales are part of
// a checkpoint, so that a resumed run adds up the same integers as one that was never stopped.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/archive.h"
#include "federation/sums/word_exchange.h"
#include "model/collective.h"

namespace firm {

class FixedPointCollective : public Collective {
 public:
  explicit FixedPointCollective(WordExchange& exchange) : exchange_(exchange) {}

  // Throw what the exchange throws, firm::Error (kData) when a value is not finite, and WrongSum
  // when the result cannot be the sum over all sites.
  void sum(std::span<float> vector, std::span<double> scalars) override;
  void sum_for(const std::string& site, std::span<float> vector) override;
  void sum_slices(std::span<double> scalars) override;
  void name_sums(const std::string& kind) override { exchange_.name_sums(kind); }

  // Makes one more, empty sum: with masks it throws WrongSum unless all sites have received the
  // same sums. Every sum is confirmed by the next one, whose masks depend on it; this confirms the
  // last.
  void confirm() { sum_words({}, {}, ""); }

  // Saves or restores the scales.
  void archive(Archive& archive);

 private:
  void sum_words(std::span<float> vector, std::span<double> scalars, const std::string& opener);
  // Encode into words_ and scalar_words_. encode_vector returns false when no scale is agreed yet
  // or the agreed one does not hold the vector.
  bool encode_vector(std::span<const float> vector);
  void encode_scalars(std::span<const double> scalars, std::size_t addends);
  int exponent_of_all_slices(std::span<const float> vector);
  void check_votes(double votes) const;
  void refine(std::size_t length, double bound);
  ShareView share(std::size_t length);

  WordExchange& exchange_;
  std::map<std::uint64_t, int> fraction_;  // fraction bits by length of vector
  std::vector<std::uint32_t> words_;
  std::vector<ScalarWord> scalar_words_;
};

}  // namespace firm
