// Certificates for mutual TLS between one coordinator and its sites: what the network code needs.
//
// One authority signs the coordinator's certificate and one for each site; a site's name is the
// subject of its certificate. `firm pki` makes the files (pki_authority.h):
//   at the coordinator  ca.key ca.crt coordinator.key coordinator.crt issued.jsonl
//   at a site           ca.crt NAME.key NAME.csr NAME.crt
// docs/federation.md tells the rest. All functions may be called from several threads at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace firm {

using Instant = std::chrono::sys_seconds;  // UTC

Instant current_instant();

// 1 to 63 letters, digits, - _ . with neither - nor . in front; neither "coordinator" nor "ca" in
// any case, since the authority's own files have these names.
bool is_certificate_name(const std::string& name);
inline constexpr const char* kCertificateNameRule =
    "a site name: 1 to 63 letters, digits, - _ . without - or . in front; not 'coordinator' or "
    "'ca'";
inline constexpr const char* kCoordinatorName = "coordinator";

enum class CertificatePurpose { kAuthority, kCoordinator, kSite, kOther };

struct CertificateFacts {
  std::string name;     // common name; empty where the subject has none, or several
  std::string subject;  // "O = FIRM, CN = Study"; what is not printable ASCII is escaped
  std::string issuer;
  CertificatePurpose purpose = CertificatePurpose::kOther;
  std::vector<std::string> hosts;  // alternative names: host names and addresses
  Instant not_before;
  Instant not_after;            // from then on it is refused
  std::string serial;           // hexadecimal
  std::string key_type;         // "ECDSA P-256"
  std::string fingerprint;      // SHA-256 of the certificate, 64 hexadecimal digits
  std::string key_fingerprint;  // SHA-256 of the public key (SubjectPublicKeyInfo)
};

// What one end of a connection needs. Each text holds one PEM block and nothing else, whatever else
// is in the file: who is trusted is what has been checked here.
struct Credentials {
  std::string ca_pem;
  std::string certificate_pem;
  std::string key_pem;
  CertificateFacts ca;
  CertificateFacts certificate;
};

// Reads and checks the files in `directory`: they are there, the key is readable by its owner only,
// the certificate is that of this key, signed by ca.crt, for this purpose and name, and valid at
// `now`. Throws firm::Error: kUsage for an illegal name, kData for a file that is missing or
// damaged, kNetwork for a certificate that no peer would accept.
Credentials load_coordinator_credentials(const std::string& directory, Instant now);
Credentials load_site_credentials(const std::string& directory, const std::string& name,
                                  Instant now);

// Checks a peer's certificate: signed by the authority, valid at `now`, of this purpose, with a
// legal name. Throws firm::Error of kind kNetwork. Knows nothing about keys that have been
// replaced: `last_issued` in pki_issued.h does, at the coordinator.
CertificateFacts verify_peer(const std::string& certificate_pem, const std::string& ca_pem,
                             CertificatePurpose purpose, Instant now);

// The same for a site's certificate; gives the name of the site.
std::string verify_site(const std::string& certificate_pem, const std::string& ca_pem, Instant now);

// ECDSA over SHA-256 of `bytes`, DER-encoded. Two signatures of the same bytes differ.
std::vector<std::byte> sign_bytes(std::span<const std::byte> bytes, const std::string& key_pem);

// Whether `signature` is one of `bytes` by the key of this certificate. The certificate itself is
// not checked: `verify_peer` comes first.
bool verify_signature(std::span<const std::byte> bytes, std::span<const std::byte> signature,
                      const std::string& certificate_pem);

}  // namespace firm
