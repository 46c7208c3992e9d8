// Who may connect to a coordinator.
#pragma once

#include <string>

#include "federation/transport/grpc_server.h"

namespace firm {

// A site with a certificate of the authority (PEM) for a site, and with the key that was signed
// last for its name, by the list in the directory `pki`.
Admission admission_by(const std::string& pki, const std::string& ca);

}  // namespace firm
