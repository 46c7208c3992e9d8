#include "federation/pki/verify.h"

#include <fmt/format.h>
#include <openssl/err.h>

#include "federation/pki/facts.h"
#include "federation/pki/text.h"

namespace firm::pki {
namespace {

Error not_valid_now(const CertificateFacts& facts, const std::string& where, Instant now) {
  const bool early = now < facts.not_before;
  return network_error({where, "validity",
                        fmt::format("a certificate that is valid on {}", time_text(now)),
                        fmt::format("{}, valid {} {} ({})", facts.subject, early ? "from" : "until",
                                    time_text(early ? facts.not_before : facts.not_after),
                                    validity_text(facts.not_before, facts.not_after, now))});
}

// The chain is the certificate and the authority; the authority's own validity is checked earlier.
Error chain_error(int code, const CertificateFacts& certificate, const CertificateFacts& ca,
                  const Requirement& required) {
  if (code == X509_V_ERR_CERT_HAS_EXPIRED || code == X509_V_ERR_CERT_NOT_YET_VALID) {
    return not_valid_now(certificate, required.where, required.now);
  }
  std::string found = X509_verify_cert_error_string(code);
  const bool other_authority = code == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
                               code == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
                               code == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
                               code == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT ||
                               code == X509_V_ERR_CERT_SIGNATURE_FAILURE;
  if (other_authority) {
    found = fmt::format("{}, issued by {}: not signed by this authority", certificate.subject,
                        certificate.issuer);
  }
  return network_error({required.where, "signature",
                        fmt::format("one by the authority {} (fingerprint {}...)", ca.subject,
                                    ca.fingerprint.substr(0, 16)),
                        found});
}

// Returns X509_V_OK when the certificate is signed by `ca` and both are valid, else another
// X509_V_*.
int verify_chain(X509* certificate, X509* ca, Instant now) {
  const Store store(X509_STORE_new());
  const StoreContext context(X509_STORE_CTX_new());
  FIRM_CHECK(store != nullptr && context != nullptr);
  FIRM_CHECK(X509_STORE_add_cert(store.get(), ca) == 1);
  FIRM_CHECK(X509_STORE_CTX_init(context.get(), store.get(), certificate, nullptr) == 1);
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_X509_STRICT);
  X509_STORE_CTX_set_time(context.get(), 0, std::chrono::system_clock::to_time_t(now));
  const int good = X509_verify_cert(context.get());
  const int code = X509_STORE_CTX_get_error(context.get());
  ERR_clear_error();
  // A failure without an error code must not count as success.
  return good == 1 ? X509_V_OK : code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code;
}

bool has_legal_name(X509* certificate, CertificatePurpose purpose) {
  const std::string name = sole_common_name(X509_get_subject_name(certificate));
  return purpose == CertificatePurpose::kCoordinator ? name == kCoordinatorName
                                                     : is_certificate_name(name);
}

std::span<const unsigned char> unsigned_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

}  // namespace

CertificateFacts verify_authority(X509* ca, const std::string& where, Instant now) {
  CertificateFacts facts = facts_of(ca, where);
  if (facts.purpose != CertificatePurpose::kAuthority) {
    throw network_error({where, "purpose", "the authority's certificate",
                         fmt::format("{} ({})", purpose_text(facts.purpose), facts.subject)});
  }
  if (now < facts.not_before || now >= facts.not_after) throw not_valid_now(facts, where, now);
  const int code = verify_chain(ca, ca, now);
  if (code == X509_V_OK) return facts;
  throw network_error(
      {where, "signature", "an authority that signs itself", X509_verify_cert_error_string(code)});
}

CertificateFacts verify_certificate(X509* certificate, X509* ca, const Requirement& required) {
  FIRM_CHECK(required.purpose == CertificatePurpose::kCoordinator ||
             required.purpose == CertificatePurpose::kSite);
  const CertificateFacts authority = verify_authority(ca, "ca.crt", required.now);
  CertificateFacts facts = facts_of(certificate, required.where);
  const int code = verify_chain(certificate, ca, required.now);
  if (code != X509_V_OK) throw chain_error(code, facts, authority, required);
  if (facts.purpose != required.purpose) {
    throw network_error({required.where, "purpose", purpose_text(required.purpose) + " certificate",
                         fmt::format("{} ({})", purpose_text(facts.purpose), facts.subject)});
  }
  if (!has_legal_name(certificate, required.purpose)) {
    const bool site = required.purpose == CertificatePurpose::kSite;
    throw network_error({required.where, "subject",
                         site ? kCertificateNameRule : "CN = coordinator and nothing else",
                         facts.subject});
  }
  return facts;
}

}  // namespace firm::pki

namespace firm {

CertificateFacts verify_peer(const std::string& certificate_pem, const std::string& ca_pem,
                             CertificatePurpose purpose, Instant now) {
  const std::string where = "peer's certificate";
  try {
    const pki::X509Certificate ca = pki::read_certificate(ca_pem, "ca.crt");
    const pki::X509Certificate certificate = pki::read_certificate(certificate_pem, where);
    return pki::verify_certificate(certificate.get(), ca.get(), {where, purpose, now});
  } catch (const Error& e) {
    throw Error(Error::Kind::kNetwork, e.what());  // the peer sent it: no error of a local file
  }
}

std::string verify_site(const std::string& certificate_pem, const std::string& ca_pem,
                        Instant now) {
  return verify_peer(certificate_pem, ca_pem, CertificatePurpose::kSite, now).name;
}

std::vector<std::byte> sign_bytes(std::span<const std::byte> bytes, const std::string& key_pem) {
  const pki::PrivateKey key = pki::read_private_key(key_pem, "private key");
  const pki::Digest digest(EVP_MD_CTX_new());
  FIRM_CHECK(digest != nullptr);
  FIRM_CHECK(EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1);
  const auto text = pki::unsigned_bytes(bytes);
  std::size_t size = 0;
  FIRM_CHECK(EVP_DigestSign(digest.get(), nullptr, &size, text.data(), text.size()) == 1);
  std::vector<std::byte> signature(size);
  FIRM_CHECK(EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                            text.data(), text.size()) == 1);
  signature.resize(size);
  return signature;
}

bool verify_signature(std::span<const std::byte> bytes, std::span<const std::byte> signature,
                      const std::string& certificate_pem) {
  const pki::X509Certificate certificate = pki::read_certificate(certificate_pem, "certificate");
  EVP_PKEY* key = X509_get0_pubkey(certificate.get());
  if (!pki::is_p256(key)) return false;
  const pki::Digest digest(EVP_MD_CTX_new());
  FIRM_CHECK(digest != nullptr);
  FIRM_CHECK(EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key) == 1);
  const auto text = pki::unsigned_bytes(bytes);
  const auto proof = pki::unsigned_bytes(signature);
  const bool good =
      EVP_DigestVerify(digest.get(), proof.data(), proof.size(), text.data(), text.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace firm
