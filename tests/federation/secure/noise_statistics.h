// Statistical tests of whether bytes look uniformly random.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace firm {

// Limit that uniform bytes exceed once in 10^9 times. The statistics below are in standard
// deviations, and nearly normal for thousands of bytes.
inline constexpr double kNoise = 8;

// Pearson's statistic of bytes as draws from 256 equal bins.
inline double byte_statistic(const std::string& bytes) {
  std::vector<double> counts(256);
  for (const char c : bytes) counts[static_cast<unsigned char>(c)] += 1;
  const double expected = static_cast<double>(bytes.size()) / 256;
  double sum = 0;
  for (const double n : counts) sum += (n - expected) * (n - expected) / expected;
  return (sum - 255) / std::sqrt(2 * 255.0);
}

// Mean product of words at distance `lag`, as numbers from -1 to 1; one product has the variance
// 1/9.
inline double correlation_statistic(const std::vector<double>& words, std::size_t lag) {
  double sum = 0;
  for (std::size_t k = lag; k < words.size(); ++k) sum += words[k] * words[k - lag];
  return 3 * sum / std::sqrt(static_cast<double>(words.size() - lag));
}

// The largest of these statistics over the bytes of many messages of `size` bytes: neighbours
// within a message, and equal positions in consecutive messages, must be independent.
inline double distance_from_noise(const std::string& bytes, std::size_t size) {
  std::vector<double> words(bytes.size() / sizeof(std::int32_t));
  for (std::size_t k = 0; k < words.size(); ++k) {
    std::int32_t word = 0;
    std::memcpy(&word, bytes.data() + k * sizeof(word), sizeof(word));
    words[k] = (word + 0.5) / 2147483648.0;
  }
  double worst = std::abs(byte_statistic(bytes));
  for (const std::size_t lag : {std::size_t{1}, std::size_t{8}, size / sizeof(std::int32_t)}) {
    worst = std::max(worst, std::abs(correlation_statistic(words, lag)));
  }
  return worst;
}

}  // namespace firm
