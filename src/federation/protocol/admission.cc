#include "federation/protocol/admission.h"

#include <fmt/format.h>

#include "federation/pki/certificates.h"
#include "federation/pki/issued_list.h"
#include "firm/error.h"

namespace firm {

Admission admission_by(const std::string& pki, const std::string& ca) {
  return [pki, ca](const std::string& certificate) {
    const CertificateFacts facts =
        verify_peer(certificate, ca, CertificatePurpose::kSite, current_instant());
    const auto last = last_issued(pki, facts.name);
    if (!last || last->key_fingerprint != facts.key_fingerprint) {
      throw Error(Error::Kind::kNetwork,
                  fmt::format("certificate of {}: expected the key that was signed last for this "
                              "name, found another",
                              facts.name));
    }
    return facts.name;
  };
}

}  // namespace firm
