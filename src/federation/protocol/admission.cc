#include "federation/protocol/admission.h"

#include <fmt/format.h>

#include <utility>

#include "federation/pki/certificates.h"
#include "federation/pki/issued_list.h"
#include "federation/pki/pinned_keys.h"
#include "firm/error.h"

namespace firm {

Admission admission_by(const std::string& pki, const std::string& ca,
                       std::shared_ptr<RevocationCheck> revocation,
                       std::map<std::string, std::string> keys) {
  if (!revocation) revocation = std::make_shared<RevocationCheck>(pki, ca);
  return [pki, ca, revocation, keys = std::move(keys)](const std::string& certificate) {
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
    check_pinned_key(keys, facts);
    return facts.name;
  };
}

}  // namespace firm
