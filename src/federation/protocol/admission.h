// Decides which sites may connect to a coordinator.
#pragma once

#include <string>

#include "federation/transport/grpc_server.h"

namespace firm {

// Admits a site whose certificate is a site certificate of the authority `ca` (PEM) and has the key
// that was signed last for its name, according to the list in the directory `pki`.
Admission admission_by(const std::string& pki, const std::string& ca);

}  // namespace firm
