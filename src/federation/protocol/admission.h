// Decides which sites may connect to a coordinator.
#pragma once

#include <memory>
#include <string>

#include "federation/pki/revocation.h"
#include "federation/transport/grpc_server.h"

namespace firm {

// Admits a site whose certificate is a site certificate of the authority `ca` (PEM) and has the key
// that was signed last for its name, according to the list in the directory `pki`, and that is not
// revoked. Without `revocation` the list in `pki` counts, if there is one.
Admission admission_by(const std::string& pki, const std::string& ca,
                       std::shared_ptr<RevocationCheck> revocation = nullptr);

}  // namespace firm
