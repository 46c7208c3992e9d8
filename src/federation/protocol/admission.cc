#include "federation/protocol/admission.h"

#include <fmt/format.h>

#include "federation/pki/certificates.h"
#include "federation/pki/issued_list.h"
#include "firm/error.h"

namespace firm {

Admission admission_by(const std::string& pki, const std::string& ca,
                       std::shared_ptr<RevocationCheck> revocation) {
  if (!revocation) revocation = std::make_shared<RevocationCheck>(pki, ca);
  return [pki, ca, revocation](const std::string& certificate) {
    const Instant now = current_instant();
    const CertificateFacts facts = verify_peer(certificate, ca, CertificatePurpose::kSite, now);
    revocation->check(facts, "certificate of a site", now);
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
