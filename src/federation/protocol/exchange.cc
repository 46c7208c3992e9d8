#include "federation/protocol/exchange.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "firm/error.h"

namespace firm {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// a += b, little-endian numbers of 256 bits each, modulo 2^256.
void add_wide(std::span<unsigned char> a, const std::string& b) {
  for (std::size_t first = 0; first < a.size(); first += kScalarBytes) {
    unsigned carry = 0;
    for (std::size_t k = first; k < first + kScalarBytes; ++k) {
      carry += a[k] + static_cast<unsigned char>(b[k]);
      a[k] = static_cast<unsigned char>(carry);
      carry >>= 8;
    }
  }
}

}  // namespace

Exchange::Exchange(std::vector<std::string> sites, std::uint64_t number)
    : sites_(std::move(sites)), number_(number) {
  for (const std::string& site : sites_) sent_[site];
}

std::optional<std::string> Exchange::check(const Sent& sent, const v1::Share& share) const {
  const std::size_t count = share.words().size() / sizeof(std::uint32_t);
  if (share.words().size() % sizeof(std::uint32_t) != 0 || count > kChunkWords) {
    return fmt::format("expected whole words, at most {} in a chunk, found {} bytes", kChunkWords,
                       share.words().size());
  }
  if (!sent.chunks.empty() && share.length() != sent.length) {
    return fmt::format("expected a share of {} words, as in its first chunk, found one of {}",
                       sent.length, share.length());
  }
  if (share.length() > kLargestVector) {
    return fmt::format("expected at most {} words, found {}", kLargestVector, share.length());
  }
  if (sent.last || sent.range || share.offset() != sent.words) {
    return fmt::format("expected {}, found words from {} on",
                       sent.last || sent.range ? "no more of this share"
                                               : fmt::format("words from {} on", sent.words),
                       share.offset());
  }
  if (count > share.length() - share.offset() ||
      share.last() != (share.offset() + count == share.length())) {
    return fmt::format("expected chunks of {} words in all, found {} from {} on, {}",
                       share.length(), count, share.offset(),
                       share.last() ? "as the last" : "and more to come");
  }
  // Smaller chunks would cost a fingerprint each.
  if (!share.last() && count != kChunkWords) {
    return fmt::format(
        "expected a chunk of {} words, or the last one, found {} words and more to come",
        kChunkWords, count);
  }
  const std::size_t bytes = share.scalars().size();
  if (bytes % kScalarBytes != 0 || bytes > kMostScalars * kScalarBytes ||
      (!share.last() && bytes != 0)) {
    return fmt::format(
        "expected scalars of {} bytes each, at most {}, with the last chunk, found {} bytes",
        kScalarBytes, kMostScalars, bytes);
  }
  return {};
}

std::optional<Objection> Exchange::compare(const std::optional<Claim>& first, const Claim& now,
                                           const char* things) {
  if (!first || first->number == now.number) return {};
  return Objection{
      fmt::format("expected as many {} from every site, found {} from {} and {} from {}", things,
                  first->number, first->site, now.number, now.site),
      true};
}

// The scale holds the values of all sites that have asked for it, unless they lie. A site that had
// a share before may be right: then another one has asked for a finer scale than there was.
Objection Exchange::second_range(const std::string& site) const {
  if (asked_.contains(site)) {
    return {"expected a share in the scale that was sent, found a second range"};
  }
  return {fmt::format("expected a scale for the values of every site, found one for values below "
                      "2^{}, as {} asked for, that is too fine for {}",
                      exponent_, fmt::join(asked_, " and "), site),
          true};
}

void Exchange::add_words(const v1::Share& share) {
  const std::size_t count = share.words().size() / sizeof(std::uint32_t);
  // Memory grows with the words that have arrived, not with the length that a site claims.
  // Reserving the whole length only reserves addresses: pages are allocated when words are written.
  if (words_.capacity() < share.length()) words_.reserve(share.length());
  if (words_.size() < share.offset() + count) words_.resize(share.offset() + count);
  std::uint32_t* sum = words_.data() + share.offset();
  const char* from = share.words().data();
  for (std::size_t k = 0; k < count; ++k) {
    std::uint32_t word = 0;
    std::memcpy(&word, from + k * sizeof(word), sizeof(word));
    sum[k] += word;
  }
}

void Exchange::add_scalars(const std::string& bytes) {
  scalars_.resize(bytes.size());
  add_wide(scalars_, bytes);
}

std::optional<Objection> Exchange::add(const std::string& site, const v1::Share& share) {
  Sent& sent = sent_.at(site);
  const bool last = share.last();
  const Fingerprint print = fingerprint_(
      {bytes_of(share.words()), bytes_of(share.scalars()), std::as_bytes(std::span(&last, 1))});
  const auto before = sent.chunks.find(share.offset());
  if (before != sent.chunks.end() && before->second == print) return {};
  if (before != sent.chunks.end()) {
    return Objection{"expected the same words as before under this position, found others"};
  }
  if (const auto wrong = check(sent, share)) return Objection{*wrong};
  const Claim length{share.length(), site};
  if (auto objection = compare(length_, length, "words")) return objection;
  if (!length_) length_ = length;
  if (share.last()) {
    const Claim count{share.scalars().size() / kScalarBytes, site};
    if (auto objection = compare(scalar_count_, count, "scalars")) return objection;
    if (!scalar_count_) scalar_count_ = count;
    add_scalars(share.scalars());
  }
  add_words(share);
  sent.length = share.length();
  sent.chunks[share.offset()] = print;
  sent.words += share.words().size() / sizeof(std::uint32_t);
  sent.last = share.last();
  return {};
}

std::optional<Objection> Exchange::add(const std::string& site, const v1::Range& range) {
  Sent& sent = sent_.at(site);
  if (sent.range && sent.exponent == range.exponent() && sent.words == range.length()) return {};
  if (try_ > 0) return second_range(site);
  if (sent.range || !sent.chunks.empty()) {
    return Objection{"expected one range or one share in an exchange, found another"};
  }
  if (range.exponent() < -kLargestExponent || range.exponent() > kLargestExponent) {
    return Objection{fmt::format("expected an exponent from {} to {}, found {}", -kLargestExponent,
                                 kLargestExponent, range.exponent())};
  }
  const Claim length{range.length(), site};
  if (auto objection = compare(length_, length, "words")) return objection;
  if (!length_) length_ = length;
  exponent_ = needs_scale() ? std::max(exponent_, range.exponent()) : range.exponent();
  sent.range = true;
  sent.exponent = range.exponent();
  sent.words = sent.length = range.length();
  return {};
}

SiteState Exchange::state_of(const std::string& site) const {
  const Sent& sent = sent_.at(site);
  if (sent.last || sent.range) return SiteState::kWaiting;
  return sent.words > 0 ? SiteState::kSending : SiteState::kComputing;
}

bool Exchange::complete() const {
  return std::all_of(sent_.begin(), sent_.end(),
                     [](const auto& s) { return s.second.last || s.second.range; });
}

bool Exchange::needs_scale() const {
  return std::any_of(sent_.begin(), sent_.end(), [](const auto& s) { return s.second.range; });
}

void Exchange::start_next_try() {
  ++try_;
  for (auto& [site, sent] : sent_) {
    if (sent.range) asked_.insert(site);
    sent = {};
  }
  length_.reset();
  scalar_count_.reset();
  words_.clear();
  scalars_.clear();
}

}  // namespace firm
