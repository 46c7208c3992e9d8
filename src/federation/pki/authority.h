// `firm pki init`, `request` and `sign`. A private key is written once, into the directory of its
// owner, and never leaves it.
#pragma once

#include <string>
#include <vector>

#include "federation/pki/certificates.h"
#include "federation/pki/issued_list.h"

namespace firm {

inline constexpr int kAuthorityDays = 3650;
inline constexpr int kLeafDays = 365;  // or until the authority expires, if that is sooner

struct AuthorityOptions {
  std::string directory;
  std::string name = "FIRM study";  // 1 to 64 printable ASCII characters
  std::vector<std::string> hosts;   // of the coordinator; default: localhost, 127.0.0.1, ::1
  int days = kAuthorityDays;
  bool alone = false;  // the coordinator is on another machine and sends a request
};

struct AuthorityMade {
  CertificateFacts ca;
  CertificateFacts coordinator;    // empty with `alone`
  std::vector<std::string> files;  // the files written
};

// Makes the authority, and the coordinator's key and certificate. Refuses a directory that already
// has an authority.
AuthorityMade make_pki(const AuthorityOptions& options, Instant now);

// Makes a new certificate for the coordinator's key; default hosts: those of the old certificate.
AuthorityMade renew_coordinator(const std::string& directory, std::vector<std::string> hosts,
                                Instant now);

struct SiteRequest {
  std::string key_path;
  std::string request_path;
  std::string key_fingerprint;
};

// Makes NAME.key and NAME.csr, for a site or, when the authority is on another machine, for
// kCoordinatorName. Refuses to replace an existing key.
SiteRequest request_certificate(const std::string& directory, const std::string& name);
// Makes a new NAME.csr for the existing key.
SiteRequest renew_request(const std::string& directory, const std::string& name);

struct SignOptions {
  std::string directory;  // of the authority
  std::string request;    // a file
  std::string out;        // default: NAME.crt in `directory`
  int days = kLeafDays;
  bool replace = false;                 // accept a new key for a name that has a certificate
  std::vector<std::string> hosts = {};  // of a coordinator; must be empty for a site
};

struct Signed {
  CertificateFacts certificate;
  CertificateFacts ca;
  std::string path;
  std::string ca_path;
  bool cut_short = false;  // expires with the authority, before `days` have passed
  // The last certificate for this name, if it has another key.
  std::optional<IssuedCertificate> replaced;
};

Signed sign_request(const SignOptions& options, Instant now);

// Returns the name in a request, checked as sign_request does.
std::string requested_name(const std::string& request);

}  // namespace firm
