#include "federation/secure/fingerprint.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "firm/error.h"

namespace firm {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::array<unsigned char, kNonceBytes> kNonce{};
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

void add(EVP_CIPHER_CTX* context, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::span now = bytes.first(std::min(kMostAtOnce, bytes.size()));
    int size = 0;
    FIRM_CHECK(EVP_EncryptUpdate(context, nullptr, &size, raw(now.data()),
                                 static_cast<int>(now.size())) == 1);
    bytes = bytes.subspan(now.size());
  }
}

}  // namespace

Fingerprint FingerprintMaker::operator()(
    std::initializer_list<std::span<const std::byte>> pieces) const {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
      EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  EVP_CIPHER_CTX* const c = context.get();
  FIRM_CHECK(EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), nullptr, raw(key_.bytes().data()),
                                kNonce.data()) == 1);
  for (const std::span<const std::byte> piece : pieces) {
    const std::uint64_t size = piece.size();
    add(c, std::as_bytes(std::span(&size, 1)));
    add(c, piece);
  }
  Fingerprint result{};
  int none = 0;
  auto* const out = reinterpret_cast<unsigned char*>(result.data());
  FIRM_CHECK(EVP_EncryptFinal_ex(c, out, &none) == 1);
  FIRM_CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(result.size()), out) ==
             1);
  return result;
}

}  // namespace firm
