#include "federation/pki/authority_files.h"

#include <fmt/format.h>

#include "core/shell_quote.h"
#include "federation/pki/verify.h"

namespace firm::pki {

constexpr int kMostDays = 36500;  // a century

std::string ca_path(const std::string& directory) { return path_in(directory, "ca.crt"); }

std::string ca_key_path(const std::string& directory) { return path_in(directory, "ca.key"); }

void check_days(int days) {
  if (days >= 1 && days <= kMostDays) return;
  throw usage_error({"--days", "", fmt::format("from 1 to {}", kMostDays), std::to_string(days)});
}

PrivateKey load_key(const Wanted& file) { return read_private_key(read_secret(file), file.path); }

Authority load_authority(const std::string& directory, Instant now) {
  const std::string hint =
      fmt::format("to make an authority: firm pki init --dir {}", shell_quote(directory));
  Authority authority;
  authority.certificate = read_certificate(
      read_public({ca_path(directory), "the authority's certificate", hint}), ca_path(directory));
  authority.key = load_key({ca_key_path(directory), "the authority's private key", hint});
  verify_authority(authority.certificate.get(), ca_path(directory), now);
  if (X509_check_private_key(authority.certificate.get(), authority.key.get()) != 1) {
    throw data_error({ca_key_path(directory), "", "the key of ca.crt", "another key"});
  }
  return authority;
}

void refuse_existing(const std::vector<std::string>& paths, const std::string& what,
                     const std::string& hint) {
  for (const std::string& path : paths) {
    if (file_exists(path)) {
      throw data_error({path, "", "no " + what + " here yet", "one, which is kept; " + hint});
    }
  }
}

}  // namespace firm::pki
