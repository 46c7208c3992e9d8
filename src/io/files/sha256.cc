#include "io/files/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "firm/error.h"

namespace firm {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  FIRM_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  FIRM_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  FIRM_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), &length) == 1);
  std::string text;
  text.reserve(2 * std::size_t{length});
  for (const unsigned char byte : std::span(digest).first(length)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace firm
