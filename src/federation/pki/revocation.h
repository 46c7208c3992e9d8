// ca.crl: the authority's signed list of certificates that count no more (X.509 version 2).
//
// `firm pki revoke` writes it at the authority. Coordinator and sites that have a copy in their
// --pki refuse the certificates that it lists. A list has a number that only grows and a time until
// which it counts, so that nobody can bring back an older one.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "federation/pki/certificates.h"
#include "federation/pki/issued_list.h"

namespace firm {

inline constexpr int kListDays = 180;
inline constexpr const char* kRevocationFile = "ca.crl";
// In --out of a coordinator or a site: the largest number of a list that it has seen.
inline constexpr const char* kRevocationMemory = "revocation-number";

struct RevocationList {
  std::uint64_t number = 0;
  std::string issuer;
  Instant this_update;
  Instant next_update;                     // does not count from then on
  std::map<std::string, Instant> revoked;  // by serial number, as CertificateFacts has it
};

struct RevokeOptions {
  std::string directory;  // of the authority
  std::string who;        // name or serial number; empty: no other, the list is only renewed
  int days = kListDays;   // until the next list, or until the authority expires if that is sooner
};

struct Revoked {
  RevocationList list;
  std::string path;
  std::vector<IssuedCertificate> added;  // by this call
};

// Signs a new list, with what was revoked before. A name stands for all certificates that were
// issued for it and have not expired. Throws firm::Error: kUsage for a name or number that was
// never issued, kData for files that are missing or damaged.
Revoked revoke_certificates(const RevokeOptions& options, Instant now);

// Reads a list without verifying it, for `firm pki show`. Throws firm::Error (kData).
RevocationList read_revocation_list(const std::string& path);

// Refuses revoked certificates. Reads the list again whenever its file changes. Thread-safe.
class RevocationCheck {
 public:
  // The list is `directory`/ca.crl, if there is one. `memory` is a file that keeps the largest
  // number seen; empty: it is kept in this object only.
  RevocationCheck(std::string directory, std::string ca_pem, std::string memory = "");

  // Returns the list; none if there is no file. Throws firm::Error (kData) if it is damaged, signed
  // by somebody else, expired, or older than one that was seen before.
  std::optional<RevocationList> list(Instant now);

  // Throws firm::Error: kNetwork if the certificate is revoked, otherwise as `list` does. `where`
  // says whose certificate it is.
  void check(const CertificateFacts& certificate, const std::string& where, Instant now);

 private:
  void remember(std::uint64_t number);

  const std::string path_;
  const std::string ca_pem_;
  const std::string memory_;
  std::mutex mutex_;
  std::uint64_t largest_ = 0;
  std::string text_;  // of the file that was verified last
  std::optional<RevocationList> verified_;
};

}  // namespace firm
