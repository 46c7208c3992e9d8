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

std::string one_line(const X509_NAME* name);
// Throws firm::Error (kData) for something that is no time.
Instant instant_of(const ASN1_TIME* time, const std::string& where);
std::string serial_text(const ASN1_INTEGER* serial);  // hexadecimal

// Returns the common name if the subject holds nothing else, otherwise "".
std::string sole_common_name(const X509_NAME* subject);

}  // namespace firm::pki
