// Formats times, validity and purposes for messages.
#pragma once

#include <string>

#include "federation/pki/certificates.h"

namespace firm::pki {

// "the authority's", "the coordinator's", "a site's", "another".
std::string purpose_text(CertificatePurpose purpose);

// Escapes bytes that are not printable ASCII as \xNN; `quoted` adds quotes.
std::string printable(const std::string& text);
std::string quoted(const std::string& text);

// "2027-03-01 09:30 UTC".
std::string time_text(Instant time);
// "2027-03-01T09:30:00Z".
std::string iso_time(Instant time);

// "300 days left", "EXPIRED 3 days ago", "valid in 2 hours".
std::string validity_text(Instant not_before, Instant not_after, Instant now);

}  // namespace firm::pki
