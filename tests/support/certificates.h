// Makes the certificates of a study, as `firm pki` does, in a temporary directory.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "federation/pki/authority.h"
#include "federation/transport/grpc_server.h"
#include "support/temporary_directory.h"

namespace firm {

class Certificates {
 public:
  // The authority is old enough to have signed certificates that have expired since.
  explicit Certificates(const std::vector<std::string>& sites = {},
                        const std::vector<std::string>& hosts = {}) {
    AuthorityOptions options;
    options.directory = authority();
    options.hosts = hosts;
    make_pki(options, long_ago());
    expired_coordinator_ = load_coordinator_credentials(authority(), long_ago());
    renew_coordinator(authority(), {}, current_instant());
    for (const std::string& site : sites) enrol(site);
  }

  static Instant long_ago() { return current_instant() - std::chrono::days(2 * kLeafDays); }

  std::string authority() const { return directory_ / "authority"; }
  Credentials coordinator() const {
    return load_coordinator_credentials(authority(), current_instant());
  }

  // The coordinator before its certificate was renewed.
  const Credentials& expired_coordinator() const { return expired_coordinator_; }

  // Enrols a site with a new key and a certificate signed `now`; replaces an older key.
  Credentials enrol(const std::string& site, Instant now = current_instant()) {
    const std::string home = directory_ / fmt::format("{}-{}", site, ++enrolments_);
    SignOptions options;
    options.directory = authority();
    options.request = request_certificate(home, site).request_path;
    options.out = home + "/" + site + ".crt";
    options.replace = true;
    sign_request(options, now);
    std::filesystem::copy_file(authority() + "/ca.crt", home + "/ca.crt");
    homes_[site] = home;
    return load_site_credentials(home, site, now);
  }

  // The last credentials of the site; the directory has the files for `firm site --pki`.
  std::string home(const std::string& site) const { return homes_.at(site); }
  Credentials of(const std::string& site) const {
    return load_site_credentials(home(site), site, current_instant());
  }

 private:
  TemporaryDirectory directory_;
  Credentials expired_coordinator_;
  int enrolments_ = 0;
  std::map<std::string, std::string> homes_;
};

inline TlsIdentity identity_of(const Credentials& c) {
  return {c.ca_pem, c.certificate_pem, c.key_pem};
}

}  // namespace firm
