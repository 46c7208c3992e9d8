#include "federation/secure/agreement.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "federation/secure/peer_text.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr int kNonceBytes = 12;
constexpr int kTagBytes = 16;
constexpr int kKeyBytes = static_cast<int>(Secret::kSize);
constexpr int kTotalsBytes = static_cast<int>(SumChain::kDigits);
constexpr int kSealedBytes = kNonceBytes + kKeyBytes + kTotalsBytes + kTagBytes;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)>;
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

// Drops the errors that OpenSSL queues in its scope: TLS on this thread would take them for its
// own.
class ExpectedFailures {
 public:
  ExpectedFailures() { ERR_set_mark(); }
  ~ExpectedFailures() { ERR_pop_to_mark(); }
  ExpectedFailures(const ExpectedFailures&) = delete;
  ExpectedFailures& operator=(const ExpectedFailures&) = delete;
};

const unsigned char* raw(const Secret& secret) {
  return reinterpret_cast<const unsigned char*>(secret.bytes().data());
}

const unsigned char* raw(const std::string& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* raw(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

Key private_half(const Secret& secret) {
  Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, raw(secret), Secret::kSize),
          EVP_PKEY_free);
  FIRM_CHECK(key != nullptr);
  return key;
}

// Moves the bytes into a Secret and wipes them.
Secret secret_from(std::array<std::byte, Secret::kSize>& bytes) {
  Secret secret(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return secret;
}

[[noreturn]] void refuse(const std::string& site, const std::string& expected,
                         const std::string& found) {
  throw Error(Error::Kind::kNetwork, fmt::format("key agreement: site {}: expected {}, found {}",
                                                 peer_text(site), expected, found));
}

std::string sealing_context(const Membership& run, const std::string& from, const std::string& to) {
  return Transcript("firm/v1/group-key")
      .text(run.study)
      .names(run.roster)
      .text(run.run_id)
      .text(from)
      .text(to)
      .bytes();
}

bool is_member(const Membership& run, const std::string& name) {
  return std::ranges::find(run.roster, name) != run.roster.end();
}

}  // namespace

std::optional<Secret> x25519(const Secret& private_key, const std::string& public_key) {
  if (public_key.size() != Secret::kSize) return std::nullopt;
  const ExpectedFailures quiet;
  const Key own = private_half(private_key);
  const Key peer(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, raw(public_key), public_key.size()),
      EVP_PKEY_free);
  FIRM_CHECK(peer != nullptr);
  const KeyContext context(EVP_PKEY_CTX_new(own.get(), nullptr), EVP_PKEY_CTX_free);
  FIRM_CHECK(context != nullptr && EVP_PKEY_derive_init(context.get()) == 1);
  FIRM_CHECK(EVP_PKEY_derive_set_peer(context.get(), peer.get()) == 1);
  std::array<std::byte, Secret::kSize> bytes{};
  std::size_t size = bytes.size();
  // OpenSSL fails on a result of zeros, but does not promise to; check it here, too.
  const bool derived =
      EVP_PKEY_derive(context.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size) == 1;
  constexpr std::array<std::byte, Secret::kSize> kZeros{};
  const bool zeros = CRYPTO_memcmp(bytes.data(), kZeros.data(), kZeros.size()) == 0;
  Secret secret = secret_from(bytes);
  if (!derived || zeros) return std::nullopt;
  return secret;
}

std::string x25519_public(const Secret& private_key) {
  std::string bytes(Secret::kSize, '\0');
  std::size_t size = bytes.size();
  FIRM_CHECK(EVP_PKEY_get_raw_public_key(private_half(private_key).get(), raw(bytes), &size) == 1);
  return bytes;
}

std::string Offer::bytes() const {
  return Transcript("firm/v1/offer")
      .text(from.name)
      .text(from.study)
      .names(from.roster)
      .text(from.run_id)
      .text(key)
      .bytes();
}

Agreement::Agreement(Membership self, const Sign& sign)
    : offer_{std::move(self), "", ""}, private_key_(Secret::random()) {
  FIRM_CHECK(is_member(offer_.from, offer_.from.name));
  offer_.from.roster = sorted_roster(offer_.from.roster);
  offer_.key = x25519_public(private_key_);
  offer_.signature = sign(offer_.bytes());
}

PairSecrets Agreement::agree(std::span<const Offer> offers, const Verify& verify) const {
  const Membership& self = offer_.from;
  PairSecrets secrets;
  std::set<std::string> keys = {offer_.key};
  for (const Offer& offer : offers) {
    const std::string& peer = offer.from.name;
    if (peer == self.name) {
      if (offer == offer_) continue;
      refuse(peer, "this site's own offer", "another under its name");
    }
    if (!is_member(self, peer)) refuse(peer, "a site of the roster", "none of that name");
    if (secrets.contains(peer)) refuse(peer, "one offer", "a second");
    check(offer, verify);
    if (offer.key == offer_.key) refuse(peer, "a key of its own", "this site's key sent back");
    if (!keys.insert(offer.key).second) refuse(peer, "a key of its own", "that of another site");
    secrets.emplace(peer, secret_with(offer));
  }
  for (const std::string& name : self.roster) {
    if (name != self.name && !secrets.contains(name)) refuse(name, "an offer", "none");
  }
  return secrets;
}

// Checks the form before hashing the offer, and the signature before trusting its contents.
void Agreement::check(const Offer& offer, const Verify& verify) const {
  const Membership& self = offer_.from;
  const Membership& peer = offer.from;
  if (offer.key.size() != Secret::kSize) {
    refuse(peer.name, "a key of 32 bytes", fmt::format("{} bytes", offer.key.size()));
  }
  std::vector<std::string> roster = peer.roster;
  std::ranges::sort(roster);
  if (roster != self.roster) {
    refuse(peer.name, fmt::format("the roster {}", fmt::join(self.roster, ", ")),
           fmt::format("{}", fmt::join(roster, ", ")));
  }
  if (!verify(peer.name, offer.bytes(), offer.signature)) {
    refuse(peer.name, "an offer signed by its certificate",
           "another signature: it has signed something else, or the coordinator has told the sites "
           "different things");
  }
  if (peer.study != self.study) {
    refuse(peer.name, fmt::format("the study with hash {}", self.study), peer.study);
  }
  if (peer.run_id != self.run_id) {
    refuse(peer.name, fmt::format("the run {}", self.run_id), peer.run_id);
  }
}

Secret Agreement::secret_with(const Offer& peer) const {
  const std::optional<Secret> raw_secret = x25519(private_key_, peer.key);
  if (!raw_secret) refuse(peer.from.name, "a key that gives a secret", "one of low order");
  const bool first = offer_.from.name < peer.from.name;
  const Offer& low = first ? offer_ : peer;
  const Offer& high = first ? peer : offer_;
  return derive(*raw_secret, Transcript("firm/v1/pair")
                                 .text(offer_.from.study)
                                 .names(offer_.from.roster)
                                 .text(offer_.from.run_id)
                                 .text(low.from.name)
                                 .text(low.key)
                                 .text(high.from.name)
                                 .text(high.key)
                                 .bytes());
}

std::string seal_group_key(const GroupKey& group, const Secret& pair, const Membership& first,
                           const std::string& peer) {
  FIRM_CHECK(first.name == sorted_roster(first.roster).front());
  FIRM_CHECK(peer != first.name && is_member(first, peer));
  FIRM_CHECK(group.totals.size() == SumChain::kDigits);
  const std::string context = sealing_context(first, first.name, peer);
  const Secret key = derive(pair, context);
  std::string sealed(kSealedBytes, '\0');
  unsigned char* const nonce = raw(sealed);
  unsigned char* const text = nonce + kNonceBytes;
  unsigned char* const totals = text + kKeyBytes;
  unsigned char* const tag = totals + kTotalsBytes;
  FIRM_CHECK(RAND_bytes(nonce, kNonceBytes) == 1);
  const Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  EVP_CIPHER_CTX* const c = cipher.get();
  int size = 0;
  FIRM_CHECK(EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), nullptr, raw(key), nonce) == 1);
  FIRM_CHECK(EVP_EncryptUpdate(c, nullptr, &size, raw(context), static_cast<int>(context.size())) ==
             1);
  FIRM_CHECK(EVP_EncryptUpdate(c, text, &size, raw(group.key), kKeyBytes) == 1);
  FIRM_CHECK(EVP_EncryptUpdate(c, totals, &size, raw(group.totals), kTotalsBytes) == 1);
  FIRM_CHECK(EVP_EncryptFinal_ex(c, tag, &size) == 1);  // writes nothing
  FIRM_CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag) == 1);
  return sealed;
}

GroupKey open_group_key(const std::string& sealed, const Secret& pair, const Membership& self) {
  const std::string first = sorted_roster(self.roster).front();
  if (sealed.size() != kSealedBytes) {
    refuse(first, fmt::format("a sealed group key of {} bytes", kSealedBytes),
           fmt::format("{} bytes", sealed.size()));
  }
  const std::string context = sealing_context(self, first, self.name);
  const Secret key = derive(pair, context);
  const unsigned char* const nonce = raw(sealed);
  const unsigned char* const text = nonce + kNonceBytes;
  std::string tag = sealed.substr(kSealedBytes - kTagBytes);
  const ExpectedFailures quiet;
  const Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  EVP_CIPHER_CTX* const c = cipher.get();
  std::array<std::byte, Secret::kSize> bytes{};
  auto* const out = reinterpret_cast<unsigned char*>(bytes.data());
  int size = 0;
  FIRM_CHECK(EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), nullptr, raw(key), nonce) == 1);
  FIRM_CHECK(EVP_DecryptUpdate(c, nullptr, &size, raw(context), static_cast<int>(context.size())) ==
             1);
  std::string totals(SumChain::kDigits, '\0');
  FIRM_CHECK(EVP_DecryptUpdate(c, out, &size, text, kKeyBytes) == 1);
  FIRM_CHECK(EVP_DecryptUpdate(c, raw(totals), &size, text + kKeyBytes, kTotalsBytes) == 1);
  FIRM_CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) == 1);
  GroupKey group{secret_from(bytes), totals};
  if (EVP_DecryptFinal_ex(c, raw(tag), &size) != 1) {
    refuse(first, "a group key sealed for this site and run", "one that does not open");
  }
  return group;
}

}  // namespace firm
