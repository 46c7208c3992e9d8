// Certificates and requests as FIRM makes them: X.509 v3, ECDSA P-256 with SHA-256, random 128-bit
// serial numbers.
#pragma once

#include <string>
#include <vector>

#include "federation/pki/certificates.h"
#include "federation/pki/openssl.h"

namespace firm::pki {

struct Validity {
  Instant not_before;
  Instant not_after;
};

// Starts an hour before `now`, since clocks differ, and lasts until `days` days after `now`, or
// `end` if that is sooner.
Validity validity(Instant now, int days, Instant end = Instant::max());

// The authority that signs; owns its certificate and key.
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

// The subject is O = FIRM, CN = `name`. It never equals that of a leaf, which has a common name
// only.
Authority make_authority(const std::string& name, const Validity& valid);
X509Certificate make_leaf(const Authority& authority, EVP_PKEY* subject_key, const Leaf& leaf);
X509Request make_request(EVP_PKEY* key, const std::string& name);

bool is_address(const std::string& host);
// Accepts an IPv4 or IPv6 address, or a host name: labels of letters, digits, - and _, the last
// label not a number.
bool is_host(const std::string& host);
// Checks the hosts of a coordinator and drops duplicates; default: localhost, 127.0.0.1, ::1.
// Throws firm::Error (kUsage).
std::vector<std::string> checked_hosts(const std::vector<std::string>& hosts);

}  // namespace firm::pki
