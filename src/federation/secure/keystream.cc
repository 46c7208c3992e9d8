#include "federation/secure/keystream.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <bit>

#include "firm/error.h"
#include "io/files/sha256.h"

namespace firm {
namespace {

static_assert(std::endian::native == std::endian::little, "streams are read as words in place");

// Bytes of a stream made at a time: together with the zeros that are encrypted and the words that
// the stream is added to, they fit the first-level cache.
constexpr std::size_t kBlockBytes = 4096;
constexpr std::array<std::byte, kBlockBytes> kZeros{};

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

std::string hash_of(const std::string& bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

// OpenSSL takes parameters by pointers to non-const, but does not write to them.
OSSL_PARAM octets(const char* name, const void* bytes, std::size_t size) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<void*>(bytes), size);
}

}  // namespace

Secret::Secret(std::span<const std::byte, kSize> bytes) {
  std::ranges::copy(bytes, bytes_.begin());
}

Secret Secret::random() {
  std::array<std::byte, kSize> bytes{};
  FIRM_CHECK(RAND_priv_bytes(raw(bytes.data()), static_cast<int>(bytes.size())) == 1);
  Secret secret(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return secret;
}

Secret::Secret(Secret&& other) noexcept : bytes_(other.bytes_) {
  OPENSSL_cleanse(other.bytes_.data(), kSize);
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    bytes_ = other.bytes_;
    OPENSSL_cleanse(other.bytes_.data(), kSize);
  }
  return *this;
}

Secret::~Secret() { OPENSSL_cleanse(bytes_.data(), kSize); }

void hkdf(std::span<const std::byte> key, std::string_view salt, std::string_view info,
          std::span<std::byte> out) {
  static const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> kdf(
      EVP_KDF_fetch(nullptr, OSSL_KDF_NAME_HKDF, nullptr), EVP_KDF_free);
  const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(
      EVP_KDF_CTX_new(kdf.get()), EVP_KDF_CTX_free);
  FIRM_CHECK(context != nullptr);
  FIRM_CHECK(info.size() <= 1024);  // limit of OpenSSL 3.0
  std::string digest = "SHA256";
  std::vector<OSSL_PARAM> parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      octets(OSSL_KDF_PARAM_KEY, key.data(), key.size())};
  // OpenSSL rejects an empty value; leaving it out means the same.
  if (!salt.empty()) parameters.push_back(octets(OSSL_KDF_PARAM_SALT, salt.data(), salt.size()));
  if (!info.empty()) parameters.push_back(octets(OSSL_KDF_PARAM_INFO, info.data(), info.size()));
  parameters.push_back(OSSL_PARAM_construct_end());
  FIRM_CHECK(EVP_KDF_derive(context.get(), raw(out.data()), out.size(), parameters.data()) == 1);
}

Secret derive(const Secret& secret, const std::string& context) {
  std::array<std::byte, Secret::kSize> bytes{};
  hkdf(secret.bytes(), "", hash_of(context), bytes);
  Secret derived(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return derived;
}

Transcript& Transcript::text(std::string_view text) {
  number(text.size());
  bytes_ += text;
  return *this;
}

Transcript& Transcript::number(std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(number >> shift & 0xff);
  return *this;
}

Transcript& Transcript::names(const std::vector<std::string>& names) {
  number(names.size());
  for (const std::string& name : sorted_roster(names)) text(name);
  return *this;
}

std::vector<std::string> sorted_roster(std::vector<std::string> names) {
  std::ranges::sort(names);
  FIRM_CHECK(std::ranges::adjacent_find(names) == names.end());
  FIRM_CHECK(names.empty() || !names.front().empty());
  return names;
}

std::string MaskContext::bytes() const {
  return Transcript("firm/v1/mask")
      .text(study)
      .names(roster)
      .number(static_cast<std::uint64_t>(scope))
      .names(holders)
      .number(position.exchange)
      .number(position.attempt_and_try)
      .text(position.previous)
      .text(position.opener)
      .number(static_cast<std::uint64_t>(kind))
      .number(length)
      .number(static_cast<std::uint64_t>(scale))
      .bytes();
}

struct Keystream::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  ~Cipher() { EVP_CIPHER_CTX_free(context); }  // wipes the key
};

Keystream::Keystream(const Secret& secret, const MaskContext& context)
    : cipher_(std::make_unique<Cipher>()) {
  std::array<std::byte, 48> key_and_iv{};
  hkdf(secret.bytes(), "", hash_of(context.bytes()), key_and_iv);
  start(std::span(key_and_iv).first<32>(), std::span(key_and_iv).last<16>());
  OPENSSL_cleanse(key_and_iv.data(), key_and_iv.size());
}

Keystream::Keystream(std::span<const std::byte, 32> key, std::span<const std::byte, 16> iv)
    : cipher_(std::make_unique<Cipher>()) {
  start(key, iv);
}

Keystream::~Keystream() = default;
Keystream::Keystream(Keystream&&) noexcept = default;
Keystream& Keystream::operator=(Keystream&&) noexcept = default;

void Keystream::start(std::span<const std::byte, 32> key, std::span<const std::byte, 16> iv) {
  FIRM_CHECK(EVP_EncryptInit_ex(cipher_->context, EVP_aes_256_ctr(), nullptr, raw(key.data()),
                                raw(iv.data())) == 1);
}

// Makes the next bytes of the stream, at most kBlockBytes.
void Keystream::next(std::span<std::byte> bytes) {
  int made = 0;
  FIRM_CHECK(EVP_EncryptUpdate(cipher_->context, raw(bytes.data()), &made, raw(kZeros.data()),
                               static_cast<int>(bytes.size())) == 1);
}

void Keystream::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(kBlockBytes, bytes.size());
    next(bytes.first(count));
    bytes = bytes.subspan(count);
  }
}

template <typename Word, typename Combine>
void Keystream::combine(std::span<Word> words, Combine combine) {
  std::array<Word, kBlockBytes / sizeof(Word)> noise;
  for (std::size_t first = 0; first < words.size(); first += noise.size()) {
    const std::span block = words.subspan(first, std::min(noise.size(), words.size() - first));
    next(std::as_writable_bytes(std::span(noise).first(block.size())));
    combine(std::span<const Word>(noise).first(block.size()), block);
  }
  OPENSSL_cleanse(noise.data(), kBlockBytes);
}

void Keystream::fill(std::span<std::uint32_t> words) { read(std::as_writable_bytes(words)); }

void Keystream::add_to(std::span<std::uint32_t> words) {
  combine(words, [](auto noise, auto into) { add(noise, into); });
}

void Keystream::subtract_from(std::span<std::uint32_t> words) {
  combine(words, [](auto noise, auto into) {
    for (std::size_t k = 0; k < noise.size(); ++k) into[k] -= noise[k];
  });
}

void Keystream::add_to(std::span<ScalarWord> words) {
  combine(words, [](auto noise, auto into) { add(noise, into); });
}

void Keystream::subtract_from(std::span<ScalarWord> words) {
  combine(words, [](auto noise, auto into) {
    for (std::size_t k = 0; k < noise.size(); ++k) add(negated(noise[k]), into[k]);
  });
}

}  // namespace firm
