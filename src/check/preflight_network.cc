// Checks certificates and the connection between site and coordinator.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdlib>

#include "check/port_probe.h"
#include "check/preflight_checks.h"
#include "core/shell_quote.h"
#include "federation/pki/describe.h"
#include "federation/pki/issued_list.h"
#include "federation/pki/pinned_keys.h"
#include "federation/pki/revocation.h"
#include "federation/pki/text.h"
#include "federation/transport/grpc_channel.h"

namespace firm::preflight_checks {
namespace {

constexpr double kConnectSeconds = 5;
constexpr auto kExpiresSoon = std::chrono::days(30);

// ---- certificates ------------------------------------------------------------------------------

// Name of the certificate's file, without .crt.
std::string own_file(const PreflightArguments& a) {
  return a.site() ? certificate_file_name(a.name) : kCoordinatorName;
}

std::string how_to_renew(const PreflightArguments& a) {
  if (!a.site()) return fmt::format("firm pki init --dir {} --renew", shell_quote(a.pki));
  return fmt::format(
      "firm pki request --dir {} --name {} --renew; the coordinator signs {}.csr again",
      shell_quote(a.pki), shell_quote(a.name), own_file(a));
}

// Says what to do about a certificate that is not valid now; empty if it is, or cannot be read.
std::string fix_validity(const Context& c, const std::string& file, const std::string& renew) {
  try {
    const CertificateFacts facts = certificate_facts(fmt::format("{}/{}", c.arguments.pki, file));
    if (c.machine.now < facts.not_before) {
      return fmt::format(
          "check the clock of this machine, which says {}: timedatectl shows whether it is set by "
          "the network",
          pki::time_text(c.machine.now));
    }
    return c.machine.now >= facts.not_after ? renew : "";
  } catch (const Error&) {
    return "";
  }
}

std::string fix_certificates(const Context& c) {
  std::string own = fix_validity(c, own_file(c.arguments) + ".crt", how_to_renew(c.arguments));
  std::string authority =
      fix_validity(c, "ca.crt", "make a new authority and new certificates for all: firm pki init");
  if (!authority.empty()) return authority;
  if (!own.empty()) return own;
  return fmt::format(
      "firm pki show {} lists the certificates; see docs/federation.md, TLS certificates",
      shell_quote(c.arguments.pki));
}

void report_validity(const Context& c, const std::string& subject, const CertificateFacts& facts,
                     const std::string& renew) {
  const std::string text =
      fmt::format("{}, valid until {} ({})", facts.subject, pki::time_text(facts.not_after),
                  pki::validity_text(facts.not_before, facts.not_after, c.machine.now));
  if (facts.not_after - c.machine.now < kExpiresSoon) {
    c.findings.warning(subject, text, renew);
  } else {
    c.findings.ok(subject, text);
  }
}

// Checks the key against the one that the study names for the site, if it names one.
void check_pinned_key(const Context& c, const StudyFile& file, const Credentials& credentials) {
  for (const SiteEntry& entry : file.sites) {
    if (entry.name != c.arguments.name || entry.key.empty()) continue;
    if (entry.key == credentials.certificate.key_fingerprint) {
      c.findings.ok("key", "it is the one that the study names for this site");
      continue;
    }
    c.findings.error(
        Error::Kind::kNetwork, "key",
        fmt::format("expected the key that the study names for {}, {}..., found {}...", entry.name,
                    entry.key.substr(0, 16), credentials.certificate.key_fingerprint.substr(0, 16)),
        "use the key that the study names, or put the new one into the study, at all sites");
  }
}

// Warns about sites whose keys the study does not name.
void check_unpinned(const Context& c, const StudyFile& file) {
  const std::string warning = warn_unpinned(file);
  if (c.arguments.insecure) return;
  if (warning.empty()) {
    c.findings.ok("keys", "the study names the key of every site");
  } else {
    c.findings.warning("keys", warning, "firm pki pin STUDY --dir PKI, at the authority");
  }
}

void check_revocation(const Context& c, const Credentials& credentials) {
  RevocationCheck revocation(c.arguments.pki, credentials.ca_pem);
  try {
    const std::optional<RevocationList> list = revocation.list(c.machine.now);
    if (!list) return;
    revocation.check(credentials.certificate, "the certificate in " + c.arguments.pki,
                     c.machine.now);
    const std::string text = fmt::format(
        "list {} with {} certificate{}, valid until {} ({})", list->number, list->revoked.size(),
        list->revoked.size() == 1 ? "" : "s", pki::time_text(list->next_update),
        pki::validity_text(list->this_update, list->next_update, c.machine.now));
    if (list->next_update - c.machine.now < kExpiresSoon) {
      c.findings.warning("revocation", text,
                         "at the authority: firm pki revoke --dir PKI makes a new list");
    } else {
      c.findings.ok("revocation", text);
    }
  } catch (const Error& e) {
    c.findings.error(Error::Kind::kNetwork, "revocation", e.what(),
                     "get the newest ca.crl, or a new certificate, from the authority");
  }
}

// Warns about sites that cannot connect: those without a certificate, or with an expired one.
void check_enrolment(const Context& c, const StudyFile& file) {
  std::vector<std::string> missing;
  const std::string now = pki::iso_time(c.machine.now);
  try {
    for (const SiteEntry& entry : file.sites) {
      const auto last = last_issued(c.arguments.pki, entry.name);
      if (!last) {
        missing.push_back(entry.name);
      } else if (last->not_after <= now) {
        missing.push_back(fmt::format("{} (expired {})", entry.name, last->not_after));
      }
    }
  } catch (const Error& e) {
    c.findings.error(Error::Kind::kNetwork, "enrolment", e.what(),
                     "restore the list from a copy: it says which sites may connect");
    return;
  }
  if (missing.empty()) {
    c.findings.ok("enrolment", "every site has a TLS certificate");
    return;
  }
  c.findings.warning("enrolment",
                     fmt::format("no valid TLS certificate yet for {}", fmt::join(missing, ", ")),
                     fmt::format("firm pki sign --dir {} SITE.csr", shell_quote(c.arguments.pki)));
}

Credentials load(const Context& c) {
  const PreflightArguments& a = c.arguments;
  return a.site() ? load_site_credentials(a.pki, a.name, c.machine.now)
                  : load_coordinator_credentials(a.pki, c.machine.now);
}

// ---- proxy -------------------------------------------------------------------------------------

// Returns the environment variable that makes gRPC use a proxy, or nullptr.
const char* proxy_variable() {
  for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return name;
  }
  return nullptr;
}

void check_tls(const Context& c, const Credentials& credentials) {
  const std::string& server = c.arguments.server;
  try {
    GrpcChannel::probe(server,
                       {credentials.ca_pem, credentials.certificate_pem, credentials.key_pem},
                       kConnectSeconds);
    c.findings.ok("tls", fmt::format("{}: a coordinator of this authority, whose certificate is "
                                     "for that host, accepts the certificate of {}",
                                     server, c.arguments.name));
  } catch (const std::exception& e) {  // ChannelLost, or Error
    c.findings.error(Error::Kind::kNetwork, "tls", e.what(),
                     fmt::format("compare the authority's fingerprint with the coordinator, where "
                                 "firm check STUDY --pki DIR shows hosts and validity; the clock "
                                 "here says {}",
                                 pki::time_text(c.machine.now)));
  }
}

}  // namespace

std::optional<Credentials> check_certificates(const Context& c, const StudyToCheck* study) {
  try {
    Credentials credentials = load(c);
    report_validity(c, "certificate", credentials.certificate, how_to_renew(c.arguments));
    report_validity(c, "authority", credentials.ca, "make a new authority in time: firm pki init");
    c.findings.ok("authority", fmt::format("fingerprint {}, to compare over the telephone",
                                           grouped(credentials.ca.fingerprint, 0)));
    if (!c.arguments.site()) {
      c.findings.ok("hosts", fmt::format("sites can write {} in --server",
                                         fmt::join(credentials.certificate.hosts, ", ")));
    }
    check_revocation(c, credentials);
    if (study != nullptr) check_unpinned(c, study->file);
    if (study != nullptr && c.arguments.site()) check_pinned_key(c, study->file, credentials);
    if (study != nullptr && !c.arguments.site()) check_enrolment(c, study->file);
    return credentials;
  } catch (const Error& e) {
    c.findings.error(Error::Kind::kNetwork, "certificate", e.what(), fix_certificates(c));
    return {};
  }
}

void check_listen(const Context& c) {
  const PortProbe probe = probe_listen(c.arguments.listen);
  if (!probe.problem.empty()) {
    c.findings.error(Error::Kind::kNetwork, "listen", probe.problem, probe.fix);
  } else if (probe.loopback) {
    c.findings.warning(
        "listen", fmt::format("{}: only this machine can connect", c.arguments.listen),
        "for sites on other machines, use 0.0.0.0:PORT or an address of this machine");
  } else {
    c.findings.ok("listen", fmt::format("{}: free", c.arguments.listen));
  }
}

// "http://name:password@proxy:3128" becomes "proxy:3128".
std::string without_password(const std::string& proxy) {
  const std::size_t at = proxy.find_last_of("@/", proxy.find_last_not_of('/'));
  return at == std::string::npos ? proxy : proxy.substr(at + 1);
}

void check_server(const Context& c, const std::optional<Credentials>& credentials) {
  if (const char* variable = proxy_variable()) {
    c.findings.warning("server",
                       fmt::format("{}: the site connects through the proxy {}", variable,
                                   without_password(std::getenv(variable))),
                       fmt::format("if the proxy does not let HTTP/2 through, unset {} or add the "
                                   "host to no_proxy",
                                   variable));
  } else {
    const PortProbe probe = probe_connect(c.arguments.server, kConnectSeconds);
    if (!probe.problem.empty()) {
      c.findings.error(Error::Kind::kNetwork, "server", probe.problem, probe.fix);
      return;
    }
    c.findings.ok("server", fmt::format("{}: something listens there", c.arguments.server));
  }
  if (credentials) {
    check_tls(c, *credentials);
  } else {
    c.findings.warning("tls", "not checked without the site's TLS certificate",
                       "give --name SITE --pki DIR with a valid TLS certificate");
  }
}

}  // namespace firm::preflight_checks
