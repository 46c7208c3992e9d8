// Certificates and requests as FIRM makes them: X.509 v3, ECDSA P-256 with SHA-256, random 128-bit
// serial numbers.
#pragma once

#include <string>
#include <vector>

#include "federation/pki/pki.h"
#include "federation/pki/pki_openssl.h"

namespace firm::pki {

struct Validity {
  Instant not_before;
  Instant not_after;
};

// From an hour before `now`, against clocks that differ, to `days` days after it, and not beyond
// `end`.
Validity validity(Instant now, int days, Instant end = Instant::max());

// Who signs. Owns both.
struct Authority {
  X509Certificate certificate;
  PrivateKey key;
};

struct Leaf {
  std::string name;
  CertificatePurpose purpose = CertificatePurpose::kSite;
  std::vector<std::string> hosts;  // checked by `is_host`
  Validity valid;
};

// Subject O = FIRM, CN = `name`: never that of a leaf, which has a common name only.
Authority make_authority(const std::string& name, const Validity& valid);
X509Certificate make_leaf(const Authority& authority, EVP_PKEY* subject_key, const Leaf& leaf);
X509Request make_request(EVP_PKEY* key, const std::string& name);

bool is_address(const std::string& host);
// An IPv4 or IPv6 address, or a host name: labels of letters, digits, - and _, the last of them not
// a number.
bool is_host(const std::string& host);
// Hosts of a coordinator, each once; without any: localhost, 127.0.0.1, ::1. Throws firm::Error.
std::vector<std::string> checked_hosts(const std::vector<std::string>& hosts);

}  // namespace firm::pki
