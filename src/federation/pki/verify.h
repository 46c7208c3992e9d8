// Verifies certificates: signature, validity, purpose and name.
#pragma once

#include <string>

#include "federation/pki/certificates.h"
#include "federation/pki/openssl.h"

namespace firm::pki {

// Requirements for a certificate; `where` says in errors where it came from.
struct Requirement {
  std::string where;
  CertificatePurpose purpose = CertificatePurpose::kSite;
  Instant now;
};

// Returns the facts of a certificate that `ca` has signed. Throws firm::Error of kind kNetwork.
CertificateFacts verify_certificate(X509* certificate, X509* ca, const Requirement& required);

// Returns the facts of an authority's certificate that is valid at `now`. Throws firm::Error of
// kind kNetwork.
CertificateFacts verify_authority(X509* ca, const std::string& where, Instant now);

}  // namespace firm::pki
