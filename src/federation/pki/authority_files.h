// Loads the authority from its directory, for signing.
#pragma once

#include <string>
#include <vector>

#include "federation/pki/certificates.h"
#include "federation/pki/issue.h"
#include "federation/pki/key_files.h"

namespace firm::pki {

std::string ca_path(const std::string& directory);
std::string ca_key_path(const std::string& directory);

PrivateKey load_key(const Wanted& file);

// Loads the authority in `directory`. Throws firm::Error unless it may sign at `now`.
Authority load_authority(const std::string& directory, Instant now);

// Throws firm::Error when one of the files exists; `what` and `hint` go into its text.
void refuse_existing(const std::vector<std::string>& paths, const std::string& what,
                     const std::string& hint);

// Throws firm::Error (kUsage) for less than a day or more than a century.
void check_days(int days);

}  // namespace firm::pki
