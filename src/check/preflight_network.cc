// Certificates, and the connection between site and coordinator.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdlib>

#include "federation/transport/grpc_channel.h"
#include "federation/pki/pki_issued.h"
#include "federation/pki/pki_show.h"
#include "federation/pki/pki_text.h"
#include "check/preflight_checks.h"
#include "check/port_probe.h"

namespace firm::preflight_checks {
namespace {

constexpr double kPatienceSeconds = 5;
constexpr auto kShort = std::chrono::days(30);

// ---- certificates ------------------------------------------------------------------------------

// The program's own name for what is checked: of the site, or "coordinator".
std::string own_name(const PreflightArguments& a) { return a.site() ? a.name : kCoordinatorName; }

std::string renewal(const PreflightArguments& a) {
  if (!a.site()) return fmt::format("firm pki init --dir {} --renew", a.pki);
  return fmt::format(
      "firm pki request --dir {} --name {} --renew; the coordinator signs {}.csr again", a.pki,
      a.name, a.name);
}

// What to do about a certificate that is not valid now; empty when it is, or cannot be read.
std::string fix_of_validity(const Context& c, const std::string& file, const std::string& renew) {
  try {
    const CertificateFacts facts = certificate_facts(fmt::format("{}/{}", c.arguments.pki, file));
    if (c.machine.now < facts.not_before) {
      return fmt::format(
          "the clock of this machine, which says {}: timedatectl tells whether it "
          "is set by the network",
          pki::time_text(c.machine.now));
    }
    return c.machine.now >= facts.not_after ? renew : "";
  } catch (const Error&) {
    return "";
  }
}

std::string fix_of(const Context& c) {
  std::string own = fix_of_validity(c, own_name(c.arguments) + ".crt", renewal(c.arguments));
  std::string authority =
      fix_of_validity(c, "ca.crt", "a new authority, and new certificates for all: firm pki init");
  if (!authority.empty()) return authority;
  if (!own.empty()) return own;
  return fmt::format(
      "firm pki show {} tells what is there; docs/federation.md, Certificates, how "
      "it comes about",
      c.arguments.pki);
}

void tell_validity(const Context& c, const std::string& subject, const CertificateFacts& facts,
                   const std::string& renew) {
  const std::string text =
      fmt::format("{}, valid until {} ({})", facts.subject, pki::time_text(facts.not_after),
                  pki::validity_text(facts.not_before, facts.not_after, c.machine.now));
  if (facts.not_after - c.machine.now < kShort) {
    c.findings.warning(subject, text, renew);
  } else {
    c.findings.ok(subject, text);
  }
}

// The key that the study names for the site, where it does.
void check_pinned_key(const Context& c, const StudyFile& file, const Credentials& credentials) {
  for (const SiteEntry& entry : file.sites) {
    if (entry.name != c.arguments.name || entry.key.empty()) continue;
    if (entry.key == credentials.certificate.key_fingerprint) {
      c.findings.ok("key", "the one that the study names for this site");
      continue;
    }
    c.findings.wrong(
        Error::Kind::kNetwork, "key",
        fmt::format("expected the key that the study names for {}, {}..., found {}...", entry.name,
                    entry.key.substr(0, 16), credentials.certificate.key_fingerprint.substr(0, 16)),
        "the key of that name, or the new one in the study of all");
  }
}

// Sites that could not connect: those without a certificate, or with one that has run out.
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
    c.findings.wrong(Error::Kind::kNetwork, "enrolment", e.what(),
                     "a copy of the list: it says which sites may connect");
    return;
  }
  if (missing.empty()) {
    c.findings.ok("enrolment", "every site has a certificate");
    return;
  }
  c.findings.warning("enrolment",
                     fmt::format("no valid certificate yet for {}", fmt::join(missing, ", ")),
                     fmt::format("firm pki sign --dir {} SITE.csr", c.arguments.pki));
}

Credentials load(const Context& c) {
  const PreflightArguments& a = c.arguments;
  return a.site() ? load_site_credentials(a.pki, a.name, c.machine.now)
                  : load_coordinator_credentials(a.pki, c.machine.now);
}

// ---- proxy -------------------------------------------------------------------------------------

// The variable that makes gRPC dial a proxy; none: it dials the coordinator itself.
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
    GrpcChannel::try_out(server,
                         {credentials.ca_pem, credentials.certificate_pem, credentials.key_pem},
                         kPatienceSeconds);
    c.findings.ok("tls", fmt::format("{}: a coordinator of this authority, whose certificate is "
                                     "for that host, accepts the certificate of {}",
                                     server, c.arguments.name));
  } catch (const std::exception& e) {  // ChannelLost, or Error
    c.findings.wrong(Error::Kind::kNetwork, "tls", e.what(),
                     fmt::format("compare the authority's fingerprint with the coordinator; there "
                                 "firm check STUDY --pki DIR tells hosts and validity; the "
                                 "clock here says {}",
                                 pki::time_text(c.machine.now)));
  }
}

}  // namespace

std::optional<Credentials> check_certificates(const Context& c, const StudyToCheck* study) {
  try {
    Credentials credentials = load(c);
    tell_validity(c, "certificate", credentials.certificate, renewal(c.arguments));
    tell_validity(c, "authority", credentials.ca, "a new authority, in time: firm pki init");
    c.findings.ok("authority", fmt::format("fingerprint {}, to be compared over the telephone",
                                           grouped(credentials.ca.fingerprint, 0)));
    if (!c.arguments.site()) {
      c.findings.ok("hosts", fmt::format("sites can write {} in --server",
                                         fmt::join(credentials.certificate.hosts, ", ")));
    }
    if (study != nullptr && c.arguments.site()) check_pinned_key(c, study->file, credentials);
    if (study != nullptr && !c.arguments.site()) check_enrolment(c, study->file);
    return credentials;
  } catch (const Error& e) {
    c.findings.wrong(Error::Kind::kNetwork, "certificate", e.what(), fix_of(c));
    return {};
  }
}

void check_listen(const Context& c) {
  const TcpOutcome outcome = try_to_listen(c.arguments.listen);
  if (!outcome.wrong.empty()) {
    c.findings.wrong(Error::Kind::kNetwork, "listen", outcome.wrong, outcome.fix);
  } else if (outcome.loopback) {
    c.findings.warning("listen",
                       fmt::format("{}: only this machine can connect", c.arguments.listen),
                       "0.0.0.0:PORT, or this machine's own address, for sites elsewhere");
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
                       fmt::format("{}: the site dials the proxy {}", variable,
                                   without_password(std::getenv(variable))),
                       fmt::format("unset {}, or the host in no_proxy, if the proxy does not let "
                                   "HTTP/2 through",
                                   variable));
  } else {
    const TcpOutcome outcome = try_to_connect(c.arguments.server, kPatienceSeconds);
    if (!outcome.wrong.empty()) {
      c.findings.wrong(Error::Kind::kNetwork, "server", outcome.wrong, outcome.fix);
      return;
    }
    c.findings.ok("server", fmt::format("{}: something listens there", c.arguments.server));
  }
  if (credentials) {
    check_tls(c, *credentials);
  } else {
    c.findings.warning("tls", "not tried without a site's certificate",
                       "--name SITE --pki DIR, with a certificate that is in order");
  }
}

}  // namespace firm::preflight_checks
