// Whether a certificate is what it has to be.
#pragma once

#include <string>

#include "federation/pki/pki.h"
#include "federation/pki/pki_openssl.h"

namespace firm::pki {

// What a certificate has to be, and where it came from, for messages.
struct Requirement {
  std::string where;
  CertificatePurpose purpose = CertificatePurpose::kSite;
  Instant now;
};

// Throws firm::Error of kind kNetwork, otherwise gives the facts of the certificate.
CertificateFacts verify_certificate(X509* certificate, X509* ca, const Requirement& required);

// An authority's certificate, which is valid at `now`. Throws like the above.
CertificateFacts verify_authority(X509* ca, const std::string& where, Instant now);

}  // namespace firm::pki
