// issued.jsonl: one line for each certificate that an authority has signed, in order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "federation/pki/pki.h"

namespace firm {

struct IssuedCertificate {
  std::string serial;
  std::string name;
  std::string key_fingerprint;
  std::string not_before;  // "2027-03-01T09:30:00Z"
  std::string not_after;
};

// Those of the authority in `directory`. Throws firm::Error (kData) when the list is missing or
// damaged.
std::vector<IssuedCertificate> issued_certificates(const std::string& directory);

// The last one for this name. A site with another key than this one has been replaced.
std::optional<IssuedCertificate> last_issued(const std::string& directory, const std::string& name);

namespace pki {

// The list with one line more.
std::string with_line(const std::string& list, const CertificateFacts& certificate);

std::string issued_path(const std::string& directory);
std::string read_issued_text(const std::string& directory);

}  // namespace pki
}  // namespace firm
