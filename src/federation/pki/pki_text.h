// Words for people.
#pragma once

#include <string>

#include "federation/pki/pki.h"

namespace firm::pki {

// "the authority's", "the coordinator's", "a site's", "another".
std::string purpose_text(CertificatePurpose purpose);

// \xNN for what is not printable ASCII; `quoted` adds quotes.
std::string printable(const std::string& text);
std::string quoted(const std::string& text);

// "2027-03-01 09:30 UTC".
std::string time_text(Instant time);
// "2027-03-01T09:30:00Z".
std::string iso_time(Instant time);

// "300 days left", "EXPIRED 3 days ago", "valid in 2 hours".
std::string validity_text(Instant not_before, Instant not_after, Instant now);

}  // namespace firm::pki
