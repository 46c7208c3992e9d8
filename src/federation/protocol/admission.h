// Decides which sites may connect to a coordinator.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "federation/pki/revocation.h"
#include "federation/transport/grpc_server.h"

namespace firm {

// Admits a site whose certificate is a site certificate of the authority `ca` (PEM) and is not
// revoked, and whose key was signed last for its name, according to the list in the directory
// `pki`, and is the one that the study names for it in `keys`, if it names one. Without
// `revocation` the list in `pki` counts, if there is one.
Admission admission_by(const std::string& pki, const std::string& ca,
                       std::shared_ptr<RevocationCheck> revocation = nullptr,
                       std::map<std::string, std::string> keys = {});

}  // namespace firm
