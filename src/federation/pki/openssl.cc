#include "federation/pki/openssl.h"

#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>

#include "io/files/sha256.h"

namespace firm::pki {
namespace {

// Reads `text` without copying it; `text` must outlive the Bio.
Bio reader(const std::string& text) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  FIRM_CHECK(bio != nullptr);
  return bio;
}

// Writes to memory that OpenSSL wipes when it frees it.
Bio writer() {
  Bio bio(BIO_new(BIO_s_secmem()));
  FIRM_CHECK(bio != nullptr);
  return bio;
}

std::string content(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  FIRM_CHECK(size > 0);
  return {data, static_cast<std::size_t>(size)};
}

// Describes the text for an error message by the label of its first block, never by its contents.
std::string found_instead(const std::string& text, const std::string& label) {
  ERR_clear_error();
  const std::string begin = "-----BEGIN ";
  if (text.find(begin + label + "-----") != std::string::npos) return "one that is damaged";
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return "no PEM text";
  const std::size_t from = at + begin.size();
  const std::string other = text.substr(from, text.find_first_of("-\r\n", from) - from);
  const bool secret = other.find("PRIVATE") != std::string::npos;
  if (secret) return "a private key";
  return other == "CERTIFICATE REQUEST" ? "a certificate request"
         : other == "CERTIFICATE"       ? "a certificate"
                                        : "PEM text of another kind";
}

int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return -1; }

// SHA-256 of the DER encoding; `encode` is one of OpenSSL's i2d functions.
template <typename T, typename Encode>
std::string digest_of(T* object, Encode encode) {
  unsigned char* der = nullptr;
  const int size = encode(object, &der);
  FIRM_CHECK(size > 0);
  Sha256 hash;
  hash.add(std::as_bytes(std::span(der, static_cast<std::size_t>(size))));
  OPENSSL_free(der);
  return hash.finish();
}

std::string group_name(const EVP_PKEY* key) {
  std::array<char, 64> name{};
  std::size_t length = 0;
  if (EVP_PKEY_get_group_name(key, name.data(), name.size(), &length) != 1) {
    ERR_clear_error();
    return "";
  }
  return {name.data(), length};
}

}  // namespace

X509Certificate read_certificate(const std::string& text, const std::string& where) {
  const Bio bio = reader(text);
  X509Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr));
  if (certificate && X509_get0_pubkey(certificate.get()) != nullptr) return certificate;
  throw data_error({where, "", "a certificate (PEM)", found_instead(text, "CERTIFICATE")});
}

X509Request read_request(const std::string& text, const std::string& where) {
  const Bio bio = reader(text);
  X509Request request(PEM_read_bio_X509_REQ(bio.get(), nullptr, no_password, nullptr));
  EVP_PKEY* key = request ? X509_REQ_get0_pubkey(request.get()) : nullptr;
  if (key == nullptr) {
    throw data_error(
        {where, "", "a certificate request (PEM)", found_instead(text, "CERTIFICATE REQUEST")});
  }
  if (!is_p256(key)) throw data_error({where, "key", "ECDSA P-256", key_type_text(key)});
  if (X509_REQ_verify(request.get(), key) != 1) {
    ERR_clear_error();
    throw data_error({where, "signature", "one by the request's own key",
                      "another: the request was changed after it was made"});
  }
  return request;
}

PrivateKey read_private_key(const std::string& text, const std::string& where) {
  const Bio bio = reader(text);
  PrivateKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  const std::string expected = "a private key (PEM, PKCS#8, without password)";
  if (!key) throw data_error({where, "", expected, found_instead(text, "PRIVATE KEY")});
  if (!is_p256(key.get())) throw data_error({where, "", "ECDSA P-256", key_type_text(key.get())});
  return key;
}

std::string to_pem(X509* certificate) {
  const Bio bio = writer();
  FIRM_CHECK(PEM_write_bio_X509(bio.get(), certificate) == 1);
  return content(bio);
}

std::string to_pem(X509_REQ* request) {
  const Bio bio = writer();
  FIRM_CHECK(PEM_write_bio_X509_REQ(bio.get(), request) == 1);
  return content(bio);
}

SecretText to_pem(EVP_PKEY* key) {
  const Bio bio = writer();
  FIRM_CHECK(PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, no_password,
                                           nullptr) == 1);
  return content(bio);
}

PrivateKey new_private_key() {
  PrivateKey key(EVP_EC_gen("P-256"));
  FIRM_CHECK(key != nullptr);
  return key;
}

bool is_p256(const EVP_PKEY* key) {
  return EVP_PKEY_is_a(key, "EC") == 1 && group_name(key) == "prime256v1";
}

std::string key_type_text(const EVP_PKEY* key) {
  if (is_p256(key)) return "ECDSA P-256";
  const char* type = EVP_PKEY_get0_type_name(key);
  return fmt::format("{}, {} bits", type != nullptr ? type : "another", EVP_PKEY_get_bits(key));
}

std::string fingerprint(X509* certificate) { return digest_of(certificate, i2d_X509); }

std::string key_fingerprint(EVP_PKEY* key) { return digest_of(key, i2d_PUBKEY); }

Error network_error(const Mismatch& m) { return {Error::Kind::kNetwork, data_error(m).what()}; }

}  // namespace firm::pki
