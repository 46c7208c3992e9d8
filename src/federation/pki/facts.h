// Extracts the facts from certificates and requests.
#pragma once

#include <string>

#include "federation/pki/certificates.h"
#include "federation/pki/openssl.h"

namespace firm::pki {

struct RequestFacts {
  std::string name;
  std::string subject;
  std::string key_type;
  std::string key_fingerprint;
};

// Throw firm::Error (kData) for contents that cannot be read; `where` names the file.
CertificateFacts facts_of(X509* certificate, const std::string& where);
RequestFacts facts_of(X509_REQ* request);

// Returns the common name if the subject holds nothing else, otherwise "".
std::string sole_common_name(const X509_NAME* subject);

}  // namespace firm::pki
