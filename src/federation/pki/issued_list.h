// issued.jsonl: one line for each certificate that the authority has signed, in order of signing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "federation/pki/certificates.h"

namespace firm {

struct IssuedCertificate {
  std::string serial;
  std::string name;
  std::string key_fingerprint;
  std::string not_before;  // "2027-03-01T09:30:00Z"
  std::string not_after;
};

// Reads the list of the authority in `directory`. Throws firm::Error (kData) when it is missing or
// damaged.
std::vector<IssuedCertificate> issued_certificates(const std::string& directory);

// Returns the last certificate for this name. Any other key for this name has been replaced.
std::optional<IssuedCertificate> last_issued(const std::string& directory, const std::string& name);

namespace pki {

// Returns `list` with a line for this certificate appended.
std::string with_line(const std::string& list, const CertificateFacts& certificate);

std::string issued_path(const std::string& directory);
std::string read_issued_text(const std::string& directory);

}  // namespace pki
}  // namespace firm
