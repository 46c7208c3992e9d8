#include "federation/pki/facts.h"

#include <arpa/inet.h>
#include <openssl/err.h>

#include <array>

#include "federation/pki/text.h"

namespace firm::pki {
namespace {

std::string utf8(const ASN1_STRING* text) {
  unsigned char* data = nullptr;
  const int size = ASN1_STRING_to_UTF8(&data, text);
  if (size < 0) {
    ERR_clear_error();
    return "";
  }
  std::string result(data, data + size);
  OPENSSL_free(data);
  return result;
}

// Returns "" unless there is exactly one common name.
std::string common_name(const X509_NAME* name) {
  const int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(name, NID_commonName, at) >= 0) return "";
  return utf8(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
}

std::string address_text(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int size = ASN1_STRING_length(address);
  const int family = size == 4 ? AF_INET : AF_INET6;
  if (size != 4 && size != 16) return "an address of unknown kind";
  ::inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size());
  return text.data();
}

std::vector<std::string> hosts_of(const X509* certificate) {
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> hosts;
  for (int k = 0; k < sk_GENERAL_NAME_num(names.get()); ++k) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), k);
    if (name->type == GEN_DNS) hosts.push_back(printable(utf8(name->d.dNSName)));
    if (name->type == GEN_IPADD) hosts.push_back(address_text(name->d.iPAddress));
  }
  return hosts;
}

// A certificate with exactly one extended key usage has that purpose; one with several is kOther.
CertificatePurpose purpose_of(X509* certificate) {
  if (X509_check_ca(certificate) == 1) return CertificatePurpose::kAuthority;
  const auto allows = [&](int purpose) { return X509_check_purpose(certificate, purpose, 0) == 1; };
  switch (X509_get_extended_key_usage(certificate)) {
    case XKU_SSL_SERVER:
      if (allows(X509_PURPOSE_SSL_SERVER)) return CertificatePurpose::kCoordinator;
      break;
    case XKU_SSL_CLIENT:
      if (allows(X509_PURPOSE_SSL_CLIENT)) return CertificatePurpose::kSite;
      break;
    default:
      break;
  }
  return CertificatePurpose::kOther;
}

}  // namespace

// OpenSSL escapes control characters and bytes that are not ASCII.
std::string one_line(const X509_NAME* name) {
  const Bio bio(BIO_new(BIO_s_mem()));
  FIRM_CHECK(bio != nullptr);
  if (X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_ONELINE) < 0) {
    ERR_clear_error();
    return "a name that cannot be read";
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : "";
}

Instant instant_of(const ASN1_TIME* time, const std::string& where) {
  std::tm t{};
  if (ASN1_TIME_to_tm(time, &t) != 1) {
    ERR_clear_error();
    throw data_error({where, "validity", "two points in time", "something else"});
  }
  using namespace std::chrono;
  const year_month_day date(year(t.tm_year + 1900), month(static_cast<unsigned>(t.tm_mon + 1)),
                            day(static_cast<unsigned>(t.tm_mday)));
  return sys_days(date) + hours(t.tm_hour) + minutes(t.tm_min) + seconds(t.tm_sec);
}

std::string serial_text(const ASN1_INTEGER* serial) {
  const BigNumber number(ASN1_INTEGER_to_BN(serial, nullptr));
  FIRM_CHECK(number != nullptr);
  char* digits = BN_bn2hex(number.get());
  FIRM_CHECK(digits != nullptr);
  std::string text = digits;
  OPENSSL_free(digits);
  return text;
}

CertificateFacts facts_of(X509* certificate, const std::string& where) {
  CertificateFacts facts;
  facts.name = common_name(X509_get_subject_name(certificate));
  facts.subject = one_line(X509_get_subject_name(certificate));
  facts.issuer = one_line(X509_get_issuer_name(certificate));
  facts.purpose = purpose_of(certificate);
  facts.hosts = hosts_of(certificate);
  facts.not_before = instant_of(X509_get0_notBefore(certificate), where);
  facts.not_after = instant_of(X509_get0_notAfter(certificate), where);
  facts.serial = serial_text(X509_get0_serialNumber(certificate));
  facts.key_type = key_type_text(X509_get0_pubkey(certificate));
  facts.fingerprint = fingerprint(certificate);
  facts.key_fingerprint = key_fingerprint(X509_get0_pubkey(certificate));
  return facts;
}

RequestFacts facts_of(X509_REQ* request) {
  const X509_NAME* subject = X509_REQ_get_subject_name(request);
  EVP_PKEY* key = X509_REQ_get0_pubkey(request);
  return {sole_common_name(subject), one_line(subject), key_type_text(key), key_fingerprint(key)};
}

std::string sole_common_name(const X509_NAME* subject) {
  return X509_NAME_entry_count(subject) == 1 ? common_name(subject) : "";
}

}  // namespace firm::pki
