#include "federation/secure/sum_tag.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "firm/error.h"

namespace firm {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr std::uint64_t kPrime = SumTag::kPrime;
constexpr int kPrimeBits = 63;
constexpr std::uint64_t kPrimeGap = 25;  // p = 2^63 - 25
constexpr unsigned kScalarGap = 297;     // q = 2^256 + 297
constexpr std::size_t kScalarLimbs = 4;
constexpr std::size_t kProductLimbs = 2 * kScalarLimbs + 1;  // holds 2^64 products

// Returns a number that is equal modulo p, below 2^71 for any x, and below 2^64 if x is below 2^71.
Wide folded(Wide x) { return (x & ((Wide{1} << kPrimeBits) - 1)) + kPrimeGap * (x >> kPrimeBits); }

std::uint64_t modulo_p(Wide x) { return static_cast<std::uint64_t>(folded(folded(x))) % kPrime; }

// sum_j b[j] x[j], as integers: less than 2^103 for a block. Several sums keep the multiplier busy.
SignedWide dot(std::span<const std::uint64_t> b, std::span<const std::uint32_t> x) {
  constexpr std::size_t kLanes = 4;
  std::array<SignedWide, kLanes> sums{};
  const auto add_product = [&](std::size_t lane, std::size_t j) {
    sums[lane] +=
        static_cast<SignedWide>(static_cast<std::int64_t>(b[j])) * static_cast<std::int32_t>(x[j]);
  };
  std::size_t j = 0;
  for (; j + kLanes <= x.size(); j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) add_product(lane, j + lane);
  }
  for (; j < x.size(); ++j) add_product(0, j);
  return sums[0] + sums[1] + sums[2] + sums[3];
}

std::uint64_t modulo_p(SignedWide block_sum) {
  constexpr SignedWide kMultiple = static_cast<SignedWide>(kPrime) << 41;  // above 2^103
  return modulo_p(static_cast<Wide>(block_sum + kMultiple));
}

// ---- scalars -----------------------------------------------------------------------------------

using Product = std::array<std::uint64_t, kProductLimbs>;

// sum += x y, for unsigned x and y.
void add_product(const ScalarWord& x, const ScalarWord& y, Product& sum) {
  for (std::size_t i = 0; i < kScalarLimbs; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < kScalarLimbs; ++j) {
      const Wide t = static_cast<Wide>(x[i]) * y[j] + sum[i + j] + carry;
      sum[i + j] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
    for (std::size_t k = i + kScalarLimbs; carry != 0; ++k) {
      sum.at(k) += carry;
      carry = sum.at(k) < carry ? 1 : 0;
    }
  }
}

struct FreeNumber {
  void operator()(BIGNUM* number) const { BN_clear_free(number); }
};
using Number = std::unique_ptr<BIGNUM, FreeNumber>;

static_assert(std::endian::native == std::endian::little, "numbers are read as they are in memory");

template <typename Limbs>
Number number_of(const Limbs& limbs) {
  Number number(BN_lebin2bn(reinterpret_cast<const unsigned char*>(limbs.data()),
                            static_cast<int>(limbs.size() * sizeof(limbs[0])), nullptr));
  FIRM_CHECK(number != nullptr);
  return number;
}

const BIGNUM* modulus_q() {
  static const Number q = [] {
    Number number(BN_new());
    FIRM_CHECK(number != nullptr && BN_set_bit(number.get(), 256) == 1 &&
               BN_add_word(number.get(), kScalarGap) == 1);
    return number;
  }();
  return q.get();
}

// (x - y) modulo q.
Number difference(const BIGNUM* x, const BIGNUM* y) {
  const std::unique_ptr<BN_CTX, decltype(&BN_CTX_free)> scratch(BN_CTX_new(), BN_CTX_free);
  Number result(BN_new());
  FIRM_CHECK(scratch != nullptr && result != nullptr);
  FIRM_CHECK(BN_sub(result.get(), x, y) == 1);
  FIRM_CHECK(BN_nnmod(result.get(), result.get(), modulus_q(), scratch.get()) == 1);
  return result;
}

// sum_k r_k Z[k] modulo q, for signed Z.
Number of_scalars(std::span<const ScalarWord> r, std::span<const ScalarWord> scalars) {
  Product positive{};
  Product negative{};
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    const bool below_zero = scalars[k].back() >> 63 != 0;
    if (below_zero) {
      add_product(r[k], negated(scalars[k]), negative);
    } else {
      add_product(r[k], scalars[k], positive);
    }
  }
  return difference(number_of(positive).get(), number_of(negative).get());
}

ScalarWord lowest_256_bits(const BIGNUM* number) {
  std::array<unsigned char, 40> bytes{};
  FIRM_CHECK(BN_bn2lebinpad(number, bytes.data(), static_cast<int>(bytes.size())) > 0);
  ScalarWord word{};
  std::copy_n(bytes.begin(), sizeof(word), reinterpret_cast<unsigned char*>(word.data()));
  return word;
}

// U + m 2^256 = sum modulo q for an m of 0 .. sites. Since 2^256 = -297, U - sum is 297 m.
bool carries_only(const ScalarWord& tag, const BIGNUM* sum, std::size_t sites) {
  const Number rest = difference(number_of(tag).get(), sum);
  if (BN_num_bits(rest.get()) > 63) return false;
  const std::uint64_t small = BN_get_word(rest.get());
  return small % kScalarGap == 0 && small / kScalarGap <= sites;
}

// 0 <= T < sites p.
bool in_range(const ScalarWord& t, std::size_t sites) {
  const Wide value = static_cast<Wide>(t[1]) << 64 | t[0];
  return t[2] == 0 && t[3] == 0 && value < static_cast<Wide>(sites) * kPrime;
}

std::vector<std::uint64_t> read_modulo_p(Keystream& stream, std::size_t count) {
  std::vector<Wide> wide(count);
  stream.read(std::as_writable_bytes(std::span(wide)));
  std::vector<std::uint64_t> numbers(count);
  std::ranges::transform(wide, numbers.begin(), [](Wide x) { return modulo_p(x); });
  OPENSSL_cleanse(wide.data(), wide.size() * sizeof(wide[0]));
  return numbers;
}

// Leaves it empty.
template <typename Numbers>
void wipe_numbers(Numbers& numbers) {
  OPENSSL_cleanse(numbers.data(), numbers.size() * sizeof(numbers[0]));
  numbers.clear();
}

}  // namespace

SumTag::SumTag(Keystream stream, std::size_t words, std::size_t scalars) : r_(scalars) {
  stream.read(std::as_writable_bytes(std::span(r_)));
  b_ = read_modulo_p(stream, std::min(words, kBlock));
  a_ = read_modulo_p(stream, (words + kBlock - 1) / kBlock);
}

SumTag::~SumTag() { wipe(); }

void SumTag::wipe() {
  wipe_numbers(a_);
  wipe_numbers(b_);
  wipe_numbers(r_);
}

SumTag& SumTag::operator=(SumTag&& other) noexcept {
  a_.swap(other.a_);
  b_.swap(other.b_);
  r_.swap(other.r_);
  other.wipe();
  return *this;
}

std::uint64_t SumTag::of_words(std::span<const std::uint32_t> words) const {
  Wide sum = 0;  // of at most 2^25 folded products: below 2^96
  for (std::size_t i = 0; i < a_.size(); ++i) {
    const std::span block = words.subspan(i * kBlock, std::min(kBlock, words.size() - i * kBlock));
    sum += folded(static_cast<Wide>(a_[i]) * modulo_p(dot(b_, block)));
  }
  return modulo_p(sum);
}

Tags SumTag::of(std::span<const std::uint32_t> words, std::span<const ScalarWord> scalars) const {
  FIRM_CHECK((words.size() + kBlock - 1) / kBlock == a_.size() && scalars.size() == r_.size());
  return {ScalarWord{of_words(words)}, lowest_256_bits(of_scalars(r_, scalars).get())};
}

bool SumTag::matches(std::span<const std::uint32_t> words, std::span<const ScalarWord> scalars,
                     const Tags& tags, std::size_t sites) const {
  FIRM_CHECK((words.size() + kBlock - 1) / kBlock == a_.size() && scalars.size() == r_.size());
  const Wide t = static_cast<Wide>(tags[0][1]) << 64 | tags[0][0];
  return in_range(tags[0], sites) && of_words(words) == modulo_p(t) &&
         carries_only(tags[1], of_scalars(r_, scalars).get(), sites);
}

}  // namespace firm
