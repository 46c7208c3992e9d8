#include "federation/pki/issue.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "federation/pki/text.h"
#include "firm/error.h"

namespace firm::pki {
namespace {

constexpr long kVersion3 = 2;
constexpr long kRequestVersion1 = 0;
constexpr int kSerialBits = 128;

void add_name(X509_NAME* name, const char* field, const std::string& value) {
  FIRM_CHECK(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                        reinterpret_cast<const unsigned char*>(value.data()),
                                        static_cast<int>(value.size()), -1, 0) == 1);
}

void set_serial(X509* certificate) {
  const BigNumber number(BN_new());
  FIRM_CHECK(number != nullptr);
  FIRM_CHECK(BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1);
  FIRM_CHECK(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

void set_validity(X509* certificate, const Validity& valid) {
  const auto seconds = [](Instant t) { return std::chrono::system_clock::to_time_t(t); };
  ASN1_TIME* from = X509_getm_notBefore(certificate);
  ASN1_TIME* until = X509_getm_notAfter(certificate);
  FIRM_CHECK(ASN1_TIME_set(from, seconds(valid.not_before)) != nullptr);
  FIRM_CHECK(ASN1_TIME_set(until, seconds(valid.not_after)) != nullptr);
}

// `value` has the syntax of openssl.cnf.
void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const X509Extension extension(X509V3_EXT_nconf_nid(nullptr, &context, nid, value.c_str()));
  FIRM_CHECK(extension != nullptr);
  FIRM_CHECK(X509_add_ext(certificate, extension.get(), -1) == 1);
}

// Sets the fields that all certificates have; extensions and signature follow.
X509Certificate new_certificate(EVP_PKEY* key, const Validity& valid) {
  X509Certificate certificate(X509_new());
  FIRM_CHECK(certificate != nullptr);
  FIRM_CHECK(X509_set_version(certificate.get(), kVersion3) == 1);
  FIRM_CHECK(X509_set_pubkey(certificate.get(), key) == 1);
  set_serial(certificate.get());
  set_validity(certificate.get(), valid);
  return certificate;
}

void sign_certificate(X509* certificate, X509* issuer, EVP_PKEY* key) {
  add_extension(certificate, issuer, NID_subject_key_identifier, "hash");
  add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always");
  FIRM_CHECK(X509_sign(certificate, key, EVP_sha256()) > 0);
}

std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string text;
  for (const std::string& host : hosts) {
    FIRM_CHECK(is_host(host));
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", is_address(host) ? "IP" : "DNS", host);
  }
  return text;
}

bool is_label(const std::string& label) {
  const auto legal = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_';
  };
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), legal);
}

}  // namespace

Validity validity(Instant now, int days, Instant end) {
  return {now - std::chrono::hours(1), std::min(now + std::chrono::days(days), end)};
}

Authority make_authority(const std::string& name, const Validity& valid) {
  PrivateKey key = new_private_key();
  X509Certificate certificate = new_certificate(key.get(), valid);
  X509* c = certificate.get();
  add_name(X509_get_subject_name(c), "O", "FIRM");
  add_name(X509_get_subject_name(c), "CN", name);
  FIRM_CHECK(X509_set_issuer_name(c, X509_get_subject_name(c)) == 1);
  add_extension(c, c, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(c, c, NID_key_usage, "critical,keyCertSign,cRLSign");
  sign_certificate(c, c, key.get());
  return {std::move(certificate), std::move(key)};
}

X509Certificate make_leaf(const Authority& authority, EVP_PKEY* subject_key, const Leaf& leaf) {
  X509* issuer = authority.certificate.get();
  X509Certificate certificate = new_certificate(subject_key, leaf.valid);
  X509* c = certificate.get();
  add_name(X509_get_subject_name(c), "CN", leaf.name);
  FIRM_CHECK(X509_set_issuer_name(c, X509_get_subject_name(issuer)) == 1);
  add_extension(c, issuer, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(c, issuer, NID_key_usage, "critical,digitalSignature");
  const bool server = leaf.purpose == CertificatePurpose::kCoordinator;
  FIRM_CHECK(server || leaf.purpose == CertificatePurpose::kSite);
  add_extension(c, issuer, NID_ext_key_usage, server ? "serverAuth" : "clientAuth");
  if (!leaf.hosts.empty()) {
    add_extension(c, issuer, NID_subject_alt_name, alternative_names(leaf.hosts));
  }
  sign_certificate(c, issuer, authority.key.get());
  return certificate;
}

X509Request make_request(EVP_PKEY* key, const std::string& name) {
  X509Request request(X509_REQ_new());
  FIRM_CHECK(request != nullptr);
  FIRM_CHECK(X509_REQ_set_version(request.get(), kRequestVersion1) == 1);
  add_name(X509_REQ_get_subject_name(request.get()), "CN", name);
  FIRM_CHECK(X509_REQ_set_pubkey(request.get(), key) == 1);
  FIRM_CHECK(X509_REQ_sign(request.get(), key, EVP_sha256()) > 0);
  return request;
}

bool is_address(const std::string& host) {
  in6_addr address{};  // large enough for both
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_host(const std::string& host) {
  if (host.find('\0') != std::string::npos || host.size() > 253) return false;
  if (is_address(host)) return true;
  std::string label;
  std::size_t begin = 0;
  while (begin <= host.size()) {
    const std::size_t end = std::min(host.find('.', begin), host.size());
    label = host.substr(begin, end - begin);
    if (!is_label(label)) return false;
    begin = end + 1;
  }
  return label.find_first_not_of("0123456789") != std::string::npos;
}

std::vector<std::string> checked_hosts(const std::vector<std::string>& hosts) {
  std::vector<std::string> result;
  for (const std::string& host : hosts) {
    if (!is_host(host)) {
      throw usage_error(
          {"--host", "", "a host name or an IP address, without port or scheme", quoted(host)});
    }
    if (std::find(result.begin(), result.end(), host) == result.end()) result.push_back(host);
  }
  if (result.empty()) result = {"localhost", "127.0.0.1", "::1"};
  return result;
}

}  // namespace firm::pki
