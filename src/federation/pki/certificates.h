// Certificates for mutual TLS between one coordinator and its sites: the interface for network
// code.
//
// One authority signs the coordinator's certificate and one for each site; a site's name is the
// subject of its certificate. `firm pki` makes the files (authority.h):
//   at the coordinator  ca.key ca.crt coordinator.key coordinator.crt issued.jsonl
//   at a site           ca.crt NAME.key NAME.csr NAME.crt
// docs/federation.md describes how they are used. All functions are thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "federation/pki/secret_text.h"

namespace firm {

using Instant = std::chrono::sys_seconds;  // UTC

Instant current_instant();

// A legal name has 1 to 63 letters, digits, - _ . and starts with neither - nor . It is not
// "coordinator", in upper or lower case.
bool is_certificate_name(const std::string& name);
inline constexpr const char* kCertificateNameRule =
    "a site name: 1 to 63 letters, digits, - _ . without - or . in front; not 'coordinator'";
// Name of the files of a site, before .key, .csr and .crt: that of the site. A site "Ca" has the
// files Ca@site.crt etc., because some disks take Ca.crt and the authority's ca.crt for the same.
std::string certificate_file_name(const std::string& site);
inline constexpr const char* kCoordinatorName = "coordinator";

enum class CertificatePurpose { kAuthority, kCoordinator, kSite, kOther };

struct CertificateFacts {
  std::string name;     // common name; empty when the subject has none, or several
  std::string subject;  // "O = FIRM, CN = Study"; other than printable ASCII is escaped
  std::string issuer;
  CertificatePurpose purpose = CertificatePurpose::kOther;
  std::vector<std::string> hosts;  // subject alternative names: host names and addresses
  Instant not_before;
  Instant not_after;            // refused from then on
  std::string serial;           // hexadecimal
  std::string key_type;         // "ECDSA P-256"
  std::string fingerprint;      // SHA-256 of the certificate, 64 hexadecimal digits
  std::string key_fingerprint;  // SHA-256 of the public key (SubjectPublicKeyInfo)
};

// Keys and certificates for one end of a connection. Each text holds exactly the one PEM block that
// was checked; anything else in the file is dropped, so that TLS trusts nothing unchecked.
struct Credentials {
  std::string ca_pem;
  std::string certificate_pem;
  SecretText key_pem;
  CertificateFacts ca;
  CertificateFacts certificate;
};

// Read and check the files in `directory`: they exist, only the owner can read the key, the
// certificate belongs to this key, is signed by ca.crt, is for this purpose and name, and is valid
// at `now`. Throw firm::Error: kUsage for an illegal name, kData for a file that is missing or
// damaged, kNetwork for a certificate that no peer would accept.
Credentials load_coordinator_credentials(const std::string& directory, Instant now);
Credentials load_site_credentials(const std::string& directory, const std::string& name,
                                  Instant now);

// Checks a peer's certificate: signed by the authority, valid at `now`, for this purpose, with a
// legal name. Throws firm::Error of kind kNetwork. Does not detect a replaced key: the coordinator
// uses `last_issued` (issued_list.h) for that.
CertificateFacts verify_peer(const std::string& certificate_pem, const std::string& ca_pem,
                             CertificatePurpose purpose, Instant now);

// Checks a site's certificate with verify_peer; returns the name of the site.
std::string verify_site(const std::string& certificate_pem, const std::string& ca_pem, Instant now);

// Signs with ECDSA over SHA-256 of `bytes`, DER-encoded. Two signatures of the same bytes differ.
std::vector<std::byte> sign_bytes(std::span<const std::byte> bytes, const std::string& key_pem);

// Returns whether the key of this certificate made `signature` over `bytes`. Does not check the
// certificate itself: call `verify_peer` first.
bool verify_signature(std::span<const std::byte> bytes, std::span<const std::byte> signature,
                      const std::string& certificate_pem);

}  // namespace firm
