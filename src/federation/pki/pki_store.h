// The authority's files, for those who sign with it.
#pragma once

#include <string>
#include <vector>

#include "federation/pki/pki.h"
#include "federation/pki/pki_files.h"
#include "federation/pki/pki_issue.h"

namespace firm::pki {

std::string ca_path(const std::string& directory);
std::string ca_key_path(const std::string& directory);

PrivateKey load_key(const Wanted& file);

// The authority in `directory`. Throws firm::Error unless it may sign at `now`.
Authority load_authority(const std::string& directory, Instant now);

// Throws firm::Error, with `hint`, when one of the files is there; `what` they are.
void refuse_existing(const std::vector<std::string>& paths, const std::string& what,
                     const std::string& hint);

// Throws firm::Error (kUsage) for a number of days that makes no sense.
void check_days(int days);

}  // namespace firm::pki
