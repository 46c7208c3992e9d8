// What `firm pki init`, `request` and `sign` do. A private key is written once, into the directory
// where it was made, and never read by another end.
#pragma once

#include <string>
#include <vector>

#include "federation/pki/pki.h"
#include "federation/pki/pki_issued.h"

namespace firm {

inline constexpr int kAuthorityDays = 3650;
inline constexpr int kLeafDays = 365;  // and never beyond the authority

struct AuthorityOptions {
  std::string directory;
  std::string name = "FIRM study";  // 1 to 64 printable ASCII characters
  std::vector<std::string> hosts;   // of the coordinator; none: localhost, 127.0.0.1, ::1
  int days = kAuthorityDays;
  bool alone = false;  // without a coordinator, which is elsewhere and sends a request
};

struct AuthorityMade {
  CertificateFacts ca;
  CertificateFacts coordinator;    // unless it is elsewhere
  std::vector<std::string> files;  // that have been written
};

// Makes the authority, and the coordinator's key and certificate. Refuses a directory that has one.
AuthorityMade make_pki(const AuthorityOptions& options, Instant now);

// A new certificate for the coordinator's key; without hosts, for the hosts of the present one.
AuthorityMade renew_coordinator(const std::string& directory, std::vector<std::string> hosts,
                                Instant now);

struct SiteRequest {
  std::string key_path;
  std::string request_path;
  std::string key_fingerprint;
};

// NAME.key and NAME.csr, of a site or, where the authority is elsewhere, of kCoordinatorName.
// Refuses where there is such a key.
SiteRequest request_certificate(const std::string& directory, const std::string& name);
// Another NAME.csr for the key that is there.
SiteRequest renew_request(const std::string& directory, const std::string& name);

struct SignOptions {
  std::string directory;  // of the authority
  std::string request;    // a file
  std::string out;        // default: NAME.crt in `directory`
  int days = kLeafDays;
  bool replace = false;                 // another key than before for this name is accepted
  std::vector<std::string> hosts = {};  // of a coordinator, and only of one
};

struct Signed {
  CertificateFacts certificate;
  CertificateFacts ca;
  std::string path;
  std::string ca_path;
  bool cut_short = false;  // at the end of the authority
  // The last one for this name, when it has another key.
  std::optional<IssuedCertificate> replaced;
};

Signed sign_request(const SignOptions& options, Instant now);

}  // namespace firm
