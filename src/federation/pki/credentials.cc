// Loads the keys and certificates of one end of a connection (certificates.h).
#include <fmt/format.h>

#include "core/shell_quote.h"
#include "federation/pki/certificates.h"
#include "federation/pki/key_files.h"
#include "federation/pki/openssl.h"
#include "federation/pki/text.h"
#include "federation/pki/verify.h"

namespace firm {
namespace {

// Files of one end, with hints for missing ones.
struct Files {
  std::string name;
  CertificatePurpose purpose = CertificatePurpose::kSite;
  pki::Wanted ca;
  pki::Wanted certificate;
  pki::Wanted key;
};

Files coordinator_files(const std::string& directory) {
  const std::string hint =
      fmt::format("to make it: firm pki init --dir {}", shell_quote(directory));
  const auto file = [&](const char* name, const char* expected) {
    return pki::Wanted{pki::path_in(directory, name), expected, hint};
  };
  return {kCoordinatorName, CertificatePurpose::kCoordinator,
          file("ca.crt", "the authority's certificate"),
          file("coordinator.crt", "the coordinator's certificate"),
          file("coordinator.key", "the coordinator's private key")};
}

Files site_files(const std::string& directory, const std::string& name) {
  const std::string request =
      fmt::format("firm pki request --dir {} --name {}", shell_quote(directory), shell_quote(name));
  const std::string own = certificate_file_name(name);
  const auto file = [&](const std::string& file_name, const std::string& expected,
                        const std::string& hint) {
    return pki::Wanted{pki::path_in(directory, file_name), expected, hint};
  };
  return {name, CertificatePurpose::kSite,
          file("ca.crt", "the authority's certificate",
               fmt::format("the coordinator sends it with {}.crt", own)),
          file(own + ".crt", "the site's certificate",
               fmt::format("the coordinator makes it with 'firm pki sign' from {}.csr; to make "
                           "that: {}",
                           own, request)),
          file(own + ".key", "the site's private key", "to make it: " + request)};
}

Credentials load(const Files& files, Instant now) {
  const pki::PrivateKey key = pki::read_private_key(pki::read_secret(files.key), files.key.path);
  const pki::X509Certificate certificate =
      pki::read_certificate(pki::read_public(files.certificate), files.certificate.path);
  const pki::X509Certificate ca = pki::read_certificate(pki::read_public(files.ca), files.ca.path);

  Credentials c;
  c.ca = pki::verify_authority(ca.get(), files.ca.path, now);
  c.certificate = pki::verify_certificate(certificate.get(), ca.get(),
                                          {files.certificate.path, files.purpose, now});
  if (c.certificate.name != files.name) {
    throw pki::network_error({files.certificate.path, "subject", "the certificate of " + files.name,
                              c.certificate.subject});
  }
  if (pki::key_fingerprint(key.get()) != c.certificate.key_fingerprint) {
    throw data_error({files.certificate.path, "key",
                      fmt::format("the certificate of the key in {}", files.key.path),
                      "that of another key"});
  }
  c.ca_pem = pki::to_pem(ca.get());
  c.certificate_pem = pki::to_pem(certificate.get());
  c.key_pem = pki::to_pem(key.get());
  return c;
}

}  // namespace

Credentials load_coordinator_credentials(const std::string& directory, Instant now) {
  return load(coordinator_files(directory), now);
}

Credentials load_site_credentials(const std::string& directory, const std::string& name,
                                  Instant now) {
  if (!is_certificate_name(name))
    throw usage_error({"name", "", kCertificateNameRule, pki::quoted(name)});
  return load(site_files(directory, name), now);
}

}  // namespace firm
