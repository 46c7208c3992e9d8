#include "federation/pki/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "federation/pki/facts.h"
#include "federation/pki/key_files.h"
#include "federation/pki/revocation.h"
#include "federation/pki/text.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr int kValueColumn = 16;  // where `firm pki show` puts values

std::string purpose_row(CertificatePurpose purpose) {
  switch (purpose) {
    case CertificatePurpose::kAuthority:
      return "authority (signs certificates)";
    case CertificatePurpose::kCoordinator:
      return "coordinator (TLS server)";
    case CertificatePurpose::kSite:
      return "site (TLS client)";
    case CertificatePurpose::kOther:
      break;
  }
  return "none that FIRM knows";
}

std::vector<FactRow> certificate_rows(const CertificateFacts& f, Instant now) {
  std::vector<FactRow> rows = {{"kind", "certificate"},
                               {"subject", f.subject},
                               {"issuer", f.issuer},
                               {"purpose", purpose_row(f.purpose)}};
  if (!f.hosts.empty()) rows.push_back({"hosts", fmt::format("{}", fmt::join(f.hosts, ", "))});
  rows.push_back({"valid from", pki::time_text(f.not_before)});
  rows.push_back({"valid until", fmt::format("{} ({})", pki::time_text(f.not_after),
                                             pki::validity_text(f.not_before, f.not_after, now))});
  rows.push_back({"serial", f.serial});
  rows.push_back({"key", f.key_type});
  rows.push_back({"key SHA-256", grouped(f.key_fingerprint, kValueColumn)});
  rows.push_back({"SHA-256", grouped(f.fingerprint, kValueColumn)});
  return rows;
}

std::vector<FactRow> list_rows(const RevocationList& list, Instant now) {
  std::vector<FactRow> rows = {
      {"kind", "revocation list"},
      {"issuer", list.issuer},
      {"number", fmt::format("{}", list.number)},
      {"valid from", pki::time_text(list.this_update)},
      {"valid until", fmt::format("{} ({})", pki::time_text(list.next_update),
                                  pki::validity_text(list.this_update, list.next_update, now))}};
  for (const auto& [serial, when] : list.revoked) {
    rows.push_back({"revoked", fmt::format("{} on {}", serial, pki::time_text(when))});
  }
  return rows;
}

std::vector<FactRow> request_rows(const pki::RequestFacts& f) {
  return {{"kind", "certificate request, signed by its own key"},
          {"subject", f.subject},
          {"key", f.key_type},
          {"key SHA-256", grouped(f.key_fingerprint, kValueColumn)}};
}

}  // namespace

std::vector<std::string> certificate_files(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_directory(path, failure)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, failure)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".crt" || extension == ".csr" || extension == ".crl")
      files.push_back(entry.path().string());
  }
  if (failure) throw data_error({path, "", "a directory that can be read", failure.message()});
  if (files.empty()) {
    throw data_error(
        {path, "", "certificates (.crt), requests (.csr) or lists (.crl) in it", "none"});
  }
  std::sort(files.begin(), files.end());
  return files;
}

CertificateFacts certificate_facts(const std::string& path) {
  const std::string text = pki::read_public({path, "a certificate (PEM)", ""});
  return pki::facts_of(pki::read_certificate(text, path).get(), path);
}

std::vector<FactRow> describe_certificate_file(const std::string& path, Instant now) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".crl") return list_rows(read_revocation_list(path), now);
  const std::string text = pki::read_public({path, "a certificate or a request (PEM)", ""});
  const bool says_request = text.find("-----BEGIN CERTIFICATE REQUEST-----") != std::string::npos;
  if (extension == ".csr" || (extension != ".crt" && says_request)) {
    return request_rows(pki::facts_of(pki::read_request(text, path).get()));
  }
  return certificate_rows(pki::facts_of(pki::read_certificate(text, path).get(), path), now);
}

std::string grouped(const std::string& fingerprint, int indent) {
  constexpr std::size_t kGroup = 4;
  constexpr std::size_t kLine = 32;
  std::string text;
  for (std::size_t at = 0; at < fingerprint.size(); at += kGroup) {
    if (at > 0) text += at % kLine == 0 ? fmt::format("\n{:{}}", "", indent) : " ";
    text += fingerprint.substr(at, kGroup);
  }
  return text;
}

}  // namespace firm
