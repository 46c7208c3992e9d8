#include "federation/pki/authority.h"

#include <fmt/format.h>

#include <algorithm>

#include "federation/pki/authority_files.h"
#include "federation/pki/facts.h"
#include "federation/pki/issue.h"
#include "federation/pki/key_files.h"
#include "federation/pki/text.h"

namespace firm {
namespace {

using pki::path_in;

std::string coordinator_path(const std::string& directory, const char* extension) {
  return path_in(directory, std::string(kCoordinatorName) + extension);
}

void check_study_name(const std::string& name) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), printable)) {
    return;
  }
  throw usage_error({"--name", "", "1 to 64 printable ASCII characters", pki::quoted(name)});
}

pki::X509Certificate coordinator_certificate(const pki::Authority& authority, EVP_PKEY* key,
                                             const std::vector<std::string>& hosts, Instant now) {
  const Instant end = pki::facts_of(authority.certificate.get(), "ca.crt").not_after;
  return pki::make_leaf(authority, key,
                        {kCoordinatorName, CertificatePurpose::kCoordinator, hosts,
                         pki::validity(now, kLeafDays, end)});
}

AuthorityMade write_and_list(AuthorityMade made, const std::vector<pki::NewFile>& files) {
  pki::write_files(files);
  for (const pki::NewFile& file : files) made.files.push_back(file.path);
  return made;
}

}  // namespace

AuthorityMade make_pki(const AuthorityOptions& options, Instant now) {
  pki::check_days(options.days);
  check_study_name(options.name);
  const std::vector<std::string> hosts = pki::checked_hosts(options.hosts);
  const std::string& directory = options.directory;
  pki::make_private_directory(directory);
  const pki::DirectoryLock lock(directory);
  pki::refuse_existing(
      {pki::ca_key_path(directory), pki::ca_path(directory), coordinator_path(directory, ".key"),
       coordinator_path(directory, ".crt"), pki::issued_path(directory)},
      "authority",
      "choose another --dir, or make a new certificate for the coordinator with --renew");

  const pki::Authority authority =
      pki::make_authority(options.name, pki::validity(now, options.days));
  if (options.alone) {
    AuthorityMade made;
    made.ca = pki::facts_of(authority.certificate.get(), "ca.crt");
    return write_and_list(
        made, {{pki::ca_key_path(directory), pki::to_pem(authority.key.get()), pki::kSecret},
               {pki::ca_path(directory), pki::to_pem(authority.certificate.get())},
               {pki::issued_path(directory), ""}});
  }
  const pki::PrivateKey key = pki::new_private_key();
  const pki::X509Certificate leaf = coordinator_certificate(authority, key.get(), hosts, now);

  AuthorityMade made;
  made.ca = pki::facts_of(authority.certificate.get(), "ca.crt");
  made.coordinator = pki::facts_of(leaf.get(), "coordinator.crt");
  return write_and_list(
      made, {{pki::ca_key_path(directory), pki::to_pem(authority.key.get()), pki::kSecret},
             {pki::ca_path(directory), pki::to_pem(authority.certificate.get())},
             {coordinator_path(directory, ".key"), pki::to_pem(key.get()), pki::kSecret},
             {coordinator_path(directory, ".crt"), pki::to_pem(leaf.get())},
             {pki::issued_path(directory), pki::with_line("", made.coordinator)}});
}

AuthorityMade renew_coordinator(const std::string& directory, std::vector<std::string> hosts,
                                Instant now) {
  const pki::DirectoryLock lock(directory);
  const pki::Authority authority = pki::load_authority(directory, now);
  const std::string path = coordinator_path(directory, ".crt");
  const pki::PrivateKey key =
      pki::load_key({coordinator_path(directory, ".key"), "the coordinator's private key", ""});
  if (hosts.empty()) {
    const std::string text = pki::read_public({path, "the coordinator's certificate",
                                               "give every --host to make it without the old one"});
    hosts = pki::facts_of(pki::read_certificate(text, path).get(), path).hosts;
  }
  const pki::X509Certificate leaf =
      coordinator_certificate(authority, key.get(), pki::checked_hosts(hosts), now);

  AuthorityMade made;
  made.ca = pki::facts_of(authority.certificate.get(), "ca.crt");
  made.coordinator = pki::facts_of(leaf.get(), path);
  const std::string list = pki::with_line(pki::read_issued_text(directory), made.coordinator);
  return write_and_list(made,
                        {{pki::issued_path(directory), list}, {path, pki::to_pem(leaf.get())}});
}

}  // namespace firm
