// FixedPointCollective: the sum over sites in fixed point, through a WordExchange.
//
// The scale of a vector is agreed when one of its length is first summed, and again when a site has
// values that it does not hold; it becomes finer, without a word about it, when all sites' values
// have become much smaller: a bound of them rides with every sum. The scales are part of a
// checkpoint, so that a run that goes on adds up the same integers as one that was never stopped.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "federation/sums/word_exchange.h"
#include "model/collective.h"
#include "solve/archive.h"

namespace firm {

class FixedPointCollective : public Collective {
 public:
  explicit FixedPointCollective(WordExchange& exchange) : exchange_(exchange) {}

  // Throw what the exchange throws; firm::Error (kData) when a value is not finite, and (kNetwork)
  // when the sum cannot be that of all sites.
  void sum(std::span<float> vector, std::span<double> scalars) override;
  void sum_for(const std::string& site, std::span<float> vector) override;
  void sum_slices(std::span<double> scalars) override;

  // One more sum, of nothing: throws firm::Error (kNetwork) unless all sites have received the same
  // sums. Any sum but the last is confirmed by the next one, whose masks depend on it.
  void confirm() { add_up({}, {}, ""); }

  // The scales.
  void archive(Archive& archive);

 private:
  void add_up(std::span<float> vector, std::span<double> scalars, const std::string& opener);
  // Encode into words_ and scalar_words_; the first is false when the agreed scale, if there is
  // one, does not hold the vector.
  bool encode_vector(std::span<const float> vector);
  void encode_scalars(std::span<const double> scalars, std::size_t addends);
  int exponent_of_all_slices(std::span<const float> vector);
  void check_votes(double votes) const;
  void refine(std::size_t length, double bound);
  ShareView share(std::size_t length);

  WordExchange& exchange_;
  std::map<std::uint64_t, int> fraction_;  // bits, by length of vector
  std::vector<std::uint32_t> words_;
  std::vector<ScalarWord> scalar_words_;
};

}  // namespace firm
