// Keystreams: expand a secret that sites share into words that look like noise to everybody else.
//
//     context = canonical bytes of a MaskContext (Transcript)
//     key, iv = 32 and 16 bytes of HKDF-SHA256(secret, no salt, info = SHA-256(context) in hex)
//     stream  = AES-256-CTR(key, iv), bytes read as little-endian words
//
// Each context has its own stream, so no word of noise is ever used for two shares.
// tests/federation/keystream_test.cc has known answers for other implementations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "federation/sums/scalar_word.h"

namespace firm {

// 32 secret bytes, wiped on destruction. Can be moved, or cloned explicitly, but not copied.
class Secret {
 public:
  static constexpr std::size_t kSize = 32;

  explicit Secret(std::span<const std::byte, kSize> bytes);
  static Secret random();

  Secret(Secret&& other) noexcept;  // leaves zeros behind
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret();

  Secret clone() const { return Secret(bytes_); }
  std::span<const std::byte, kSize> bytes() const { return bytes_; }

 private:
  std::array<std::byte, kSize> bytes_{};
};

// HKDF-SHA256 (RFC 5869), extract and expand, filling `out`. `info` is at most 1024 bytes.
void hkdf(std::span<const std::byte> key, std::string_view salt, std::string_view info,
          std::span<std::byte> out);
// Derives a secret from another one; the HKDF info is the hash of `context`, which may be long.
Secret derive(const Secret& secret, const std::string& context);

// Unambiguous bytes of a sequence of values: every text and list is preceded by its length, every
// number has eight bytes, and the first text is a label with a version that defines what follows.
// Two different sequences of values under the same label never give the same bytes.
class Transcript {
 public:
  explicit Transcript(std::string_view label) { text(label); }

  Transcript& text(std::string_view text);
  Transcript& number(std::uint64_t number);  // little-endian
  // Adds the names as a set, sorted bytewise; they must be distinct and not empty.
  Transcript& names(const std::vector<std::string>& names);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Sorts the names bytewise; checks that they are distinct and not empty.
std::vector<std::string> sorted_roster(std::vector<std::string> names);

// Identifies the sum of a run that a mask is for.
struct MaskPosition {
  std::uint64_t exchange = 0;         // number of the sum in the attempt
  std::uint64_t attempt_and_try = 0;  // attempt 2^32 + try
  std::string previous = {};          // SumChain of the sums before this one
  std::string opener = {};            // the only site that may open the sum; empty: all may

  bool operator<(const MaskPosition& other) const {
    return std::tie(exchange, attempt_and_try, previous, opener) <
           std::tie(other.exchange, other.attempt_and_try, other.previous, other.opener);
  }
};

enum class MaskScope : std::uint8_t { kPair = 1, kGroup = 2, kAlone = 3 };   // who holds the secret
enum class MaskKind : std::uint8_t { kVector = 1, kScalars = 2, kTag = 3 };  // use of the stream

// Everything that a stream depends on besides the secret.
struct MaskContext {
  std::string study = {};                // SHA-256 of the study
  std::vector<std::string> roster = {};  // all sites, in any order
  MaskScope scope = MaskScope::kPair;
  std::vector<std::string> holders = {};  // the sites that hold the secret, in any order
  MaskPosition position = {};
  MaskKind kind = MaskKind::kVector;
  std::uint64_t length = 0;  // in words
  int scale = 0;             // fraction bits

  // Canonical bytes: "firm/v1/mask", study, roster, scope, holders, exchange, attempt and try,
  // previous, opener, kind, length, scale (two's complement).
  std::string bytes() const;
};

// One stream, read from its beginning. Uses 4 KiB of scratch memory.
class Keystream {
 public:
  Keystream(const Secret& secret, const MaskContext& context);
  Keystream(std::span<const std::byte, 32> key, std::span<const std::byte, 16> iv);
  ~Keystream();
  Keystream(Keystream&&) noexcept;
  Keystream& operator=(Keystream&&) noexcept;

  // Writes the next bytes of the stream.
  void read(std::span<std::byte> bytes);
  // Write the next words of the stream, or add them to or subtract them from `words`, modulo 2^32
  // or 2^256.
  void fill(std::span<std::uint32_t> words);
  void add_to(std::span<std::uint32_t> words);
  void subtract_from(std::span<std::uint32_t> words);
  void add_to(std::span<ScalarWord> words);
  void subtract_from(std::span<ScalarWord> words);

 private:
  void start(std::span<const std::byte, 32> key, std::span<const std::byte, 16> iv);
  void next(std::span<std::byte> bytes);
  template <typename Word, typename Combine>
  void combine(std::span<Word> words, Combine combine);

  struct Cipher;
  std::unique_ptr<Cipher> cipher_;
};

}  // namespace firm
