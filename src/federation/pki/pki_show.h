// What `firm pki show` tells about files.
#pragma once

#include <string>
#include <vector>

#include "federation/pki/pki.h"

namespace firm {

// The file itself, or all .crt and .csr files in a directory, sorted. Throws firm::Error (kData)
// when there are none.
std::vector<std::string> certificate_files(const std::string& path);

// What is in a certificate, whether or not it is the right one. Throws like the next.
CertificateFacts certificate_facts(const std::string& path);

struct FactRow {
  std::string name;
  std::string value;
};

// The facts of a certificate or a request. Throws firm::Error (kData) for a file that is neither,
// or not what its name says (.crt, .csr).
std::vector<FactRow> describe_certificate_file(const std::string& path, Instant now);

// "1f2e 3d4c ...": groups of four, to be read aloud; lines of eight groups, the further ones after
// `indent` spaces.
std::string grouped(const std::string& fingerprint, int indent);

}  // namespace firm
