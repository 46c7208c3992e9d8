// Describes certificate files, for `firm pki show`.
#pragma once

#include <string>
#include <vector>

#include "federation/pki/certificates.h"

namespace firm {

// Returns the file itself, or all .crt, .csr and .crl files of a directory, sorted. Throws
// firm::Error (kData) when there are none.
std::vector<std::string> certificate_files(const std::string& path);

// Reads the facts of a certificate without verifying it. Throws like describe_certificate_file.
CertificateFacts certificate_facts(const std::string& path);

struct FactRow {
  std::string name;
  std::string value;
};

// Lists the facts of a certificate, a request or a revocation list. Throws firm::Error (kData) for
// another file, or one that does not match its extension (.crt, .csr, .crl).
std::vector<FactRow> describe_certificate_file(const std::string& path, Instant now);

// Formats a fingerprint for reading aloud: "1f2e 3d4c ...", groups of four digits, eight groups per
// line; lines after the first are indented by `indent` spaces.
std::string grouped(const std::string& fingerprint, int indent);

}  // namespace firm
