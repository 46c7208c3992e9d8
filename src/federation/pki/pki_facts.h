// What is said in certificates and requests.
#pragma once

#include <string>

#include "federation/pki/pki.h"
#include "federation/pki/pki_openssl.h"

namespace firm::pki {

struct RequestFacts {
  std::string name;
  std::string subject;
  std::string key_type;
  std::string key_fingerprint;
};

// Throw firm::Error (kData) for what cannot be read; `where` names the file.
CertificateFacts facts_of(X509* certificate, const std::string& where);
RequestFacts facts_of(X509_REQ* request);

// The subject when it is a common name and nothing else, otherwise empty.
std::string sole_common_name(const X509_NAME* subject);

}  // namespace firm::pki
