// Certificate requests of sites, and how the authority signs them (authority.h).
#include <fmt/format.h>

#include "federation/pki/authority.h"
#include "federation/pki/authority_files.h"
#include "federation/pki/facts.h"
#include "federation/pki/issue.h"
#include "federation/pki/key_files.h"
#include "federation/pki/text.h"

namespace firm {
namespace {

using pki::path_in;

void check_name(const std::string& name) {
  if (name != kCoordinatorName && !is_certificate_name(name))
    throw usage_error({"--name", "", kCertificateNameRule, pki::quoted(name)});
}

pki::X509Request read_request_file(const std::string& path) {
  const pki::Wanted file{path, "a certificate request", "'firm pki request' makes it, at the site"};
  return pki::read_request(pki::read_public(file), path);
}

// The parts of a request that go into a certificate: the name and the key, nothing else.
struct Applicant {
  std::string name;
  EVP_PKEY* key = nullptr;  // of the request
  std::string key_fingerprint;
};

// A request alone cannot ask for a coordinator's certificate: the authority must name the hosts.
Applicant read_applicant(X509_REQ* request, const SignOptions& options) {
  const std::string& path = options.request;
  const pki::RequestFacts facts = pki::facts_of(request);
  const bool coordinator = facts.name == kCoordinatorName;
  if (!coordinator && !options.hosts.empty()) {
    throw data_error({path, "subject", "CN = coordinator, which --host is for", facts.subject});
  }
  if (coordinator && options.hosts.empty()) {
    throw data_error({path, "subject", "the request of a site",
                      facts.subject + "; the certificate of a coordinator needs --host"});
  }
  if (!coordinator && !is_certificate_name(facts.name)) {
    throw data_error({path, "subject", std::string("nothing but CN = ") + kCertificateNameRule,
                      facts.subject.empty() ? "none" : facts.subject});
  }
  return {facts.name, X509_REQ_get0_pubkey(request), facts.key_fingerprint};
}

// Returns the last certificate for this name if it has another key; throws unless options.replace.
std::optional<IssuedCertificate> find_replaced(const SignOptions& options,
                                               const Applicant& applicant) {
  auto last = last_issued(options.directory, applicant.name);
  if (!last || last->key_fingerprint == applicant.key_fingerprint) return std::nullopt;
  if (options.replace) return last;
  throw data_error(
      {options.request, "key",
       fmt::format("the key certified for {} until {} (fingerprint {})", applicant.name,
                   last->not_after, last->key_fingerprint),
       fmt::format("another ({}); when the site confirms that it has a new key: --replace",
                   applicant.key_fingerprint)});
}

// Only an older certificate of the same owner may be overwritten.
void check_output(const std::string& path, const std::string& name, CertificatePurpose purpose) {
  if (!pki::file_exists(path)) return;
  const std::string expected = fmt::format("no file, or a certificate of {} to replace", name);
  const std::string text = pki::read_public({path, expected, ""});
  bool same = false;
  try {
    const CertificateFacts facts = pki::facts_of(pki::read_certificate(text, path).get(), path);
    same = facts.purpose == purpose && facts.name == name;
  } catch (const Error&) {
    same = false;  // not a certificate
  }
  if (!same) throw data_error({path, "", expected, "another file, which is not overwritten"});
}

SiteRequest files_of_request(const std::string& directory, const std::string& name) {
  const std::string file = certificate_file_name(name);
  return {path_in(directory, file + ".key"), path_in(directory, file + ".csr"), ""};
}

}  // namespace

SiteRequest request_certificate(const std::string& directory, const std::string& name) {
  check_name(name);
  pki::make_private_directory(directory);
  const pki::DirectoryLock lock(directory);
  SiteRequest made = files_of_request(directory, name);
  pki::refuse_existing({made.key_path}, "key", "--renew makes a new request for this key");
  const pki::PrivateKey key = pki::new_private_key();
  made.key_fingerprint = pki::key_fingerprint(key.get());
  pki::write_files({{made.key_path, pki::to_pem(key.get()), pki::kSecret},
                    {made.request_path, pki::to_pem(pki::make_request(key.get(), name).get())}});
  return made;
}

SiteRequest renew_request(const std::string& directory, const std::string& name) {
  check_name(name);
  const pki::DirectoryLock lock(directory);
  SiteRequest made = files_of_request(directory, name);
  const pki::PrivateKey key =
      pki::load_key({made.key_path, "the site's private key", "without --renew one is made"});
  made.key_fingerprint = pki::key_fingerprint(key.get());
  pki::write_files({{made.request_path, pki::to_pem(pki::make_request(key.get(), name).get())}});
  return made;
}

std::string requested_name(const std::string& request) {
  return pki::facts_of(read_request_file(request).get()).name;
}

Signed sign_request(const SignOptions& options, Instant now) {
  pki::check_days(options.days);
  const pki::DirectoryLock lock(options.directory);
  const pki::Authority authority = pki::load_authority(options.directory, now);
  const pki::X509Request request = read_request_file(options.request);
  const Applicant applicant = read_applicant(request.get(), options);

  Signed result;
  result.replaced = find_replaced(options, applicant);
  result.ca = pki::facts_of(authority.certificate.get(), "ca.crt");
  result.ca_path = pki::ca_path(options.directory);
  result.path = options.out.empty()
                    ? path_in(options.directory, certificate_file_name(applicant.name) + ".crt")
                    : options.out;
  const bool coordinator = applicant.name == kCoordinatorName;
  const CertificatePurpose purpose =
      coordinator ? CertificatePurpose::kCoordinator : CertificatePurpose::kSite;
  check_output(result.path, applicant.name, purpose);

  const pki::Validity valid = pki::validity(now, options.days, result.ca.not_after);
  result.cut_short = valid.not_after < now + std::chrono::days(options.days);
  const std::vector<std::string> hosts =
      coordinator ? pki::checked_hosts(options.hosts) : std::vector<std::string>{};
  const pki::X509Certificate leaf =
      pki::make_leaf(authority, applicant.key, {applicant.name, purpose, hosts, valid});
  result.certificate = pki::facts_of(leaf.get(), result.path);
  // Write the list first: every certificate that exists must be in it.
  const std::string list =
      pki::with_line(pki::read_issued_text(options.directory), result.certificate);
  pki::write_files(
      {{pki::issued_path(options.directory), list}, {result.path, pki::to_pem(leaf.get())}});
  return result;
}

}  // namespace firm
