// firm pki: certificates of the coordinator and the sites.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <memory>

#include "federation/pki/authority.h"
#include "federation/pki/describe.h"
#include "federation/pki/pinned_keys.h"
#include "federation/pki/text.h"
#include "firm/error.h"
#include "pki/pki_keys.h"
#include "verbs.h"

namespace firm {
namespace {

constexpr const char* kEnrolment =
    "How to enrol the sites of a study:\n"
    "  coordinator   firm pki init --dir pki --name \"Zeolite 2027\" --host recon.example.org\n"
    "  site          firm pki request --dir pki --name argonne\n"
    "                send pki/argonne.csr to the coordinator, by any means\n"
    "  coordinator   firm pki sign --dir pki --study study.toml argonne.csr\n"
    "                compare the key's fingerprint with the site over the telephone, then\n"
    "                send pki/argonne.crt and pki/ca.crt back, by any means\n"
    "                after the last site: send study.toml, which names all keys now, to all\n"
    "  site          put both into pki; firm pki show pki\n"
    "                compare the authority's fingerprint over the telephone\n"
    "No file that is sent is secret. Files that end in .key never leave their directory.";

void print_fingerprint(const std::string& what, const std::string& fingerprint) {
  fmt::print("{} (SHA-256):\n    {}\n", what, grouped(fingerprint, 4));
}

struct InitArguments {
  AuthorityOptions options;
  bool renew = false;
};

void run_init(const InitArguments& a) {
  const AuthorityOptions& o = a.options;
  const AuthorityMade made = a.renew ? renew_coordinator(o.directory, o.hosts, current_instant())
                                     : make_pki(o, current_instant());
  for (const std::string& file : made.files) fmt::print("wrote {}\n", file);
  fmt::print("authority     {}, valid until {}\n", made.ca.subject,
             pki::time_text(made.ca.not_after));
  if (!o.alone) {
    fmt::print("coordinator   {}, valid until {}\n", fmt::join(made.coordinator.hosts, ", "),
               pki::time_text(made.coordinator.not_after));
  }
  print_fingerprint("\nFingerprint of the authority, for the sites to compare over the telephone",
                    made.ca.fingerprint);
}

void add_pki_init(CLI::App& pki) {
  auto a = std::make_shared<InitArguments>();
  AuthorityOptions& o = a->options;
  CLI::App* verb = pki.add_subcommand(
      "init", "Coordinator: make the authority and the coordinator's certificate");
  verb->add_option("--dir", o.directory, "Directory; created if it does not exist")->required();
  auto* name = verb->add_option("--name", o.name, "Name of the study")->capture_default_str();
  auto* hosts =
      verb->add_option("--host", o.hosts,
                       "Host name or IP address by which sites reach the coordinator; may be "
                       "repeated; default: localhost, 127.0.0.1, ::1")
          ->expected(1)
          ->take_all();
  auto* days = verb->add_option("--days", o.days,
                                "Days that the authority is valid; the coordinator's certificate "
                                "is valid for at most 365 days")
                   ->capture_default_str();
  auto* alone =
      verb->add_flag("--authority-only", o.alone,
                     "The coordinator is on another machine and sends a request, as sites do")
          ->excludes(hosts);
  verb->add_flag("--renew", a->renew,
                 "Make a new certificate for the coordinator's key with the existing authority; "
                 "with --host, for other hosts. Sites need not change anything")
      ->excludes(name)
      ->excludes(days)
      ->excludes(alone);
  verb->footer(
      "Makes ca.key, ca.crt, coordinator.key, coordinator.crt and issued.jsonl, the list of "
      "signed\n"
      "certificates. Whoever has ca.key can admit sites: protect the directory, and keep a copy "
      "in\n"
      "a safe place.\n"
      "\n"
      "Examples:\n"
      "  firm pki init --dir pki\n"
      "  firm pki init --dir pki --name \"Zeolite 2027\" --host recon.example.org --host "
      "192.0.2.7\n"
      "  firm pki init --dir pki --renew");
  verb->callback([a] { run_init(*a); });
}

struct RequestArguments {
  std::string directory;
  std::string name;
  bool coordinator = false;
  bool renew = false;
};

void run_request(RequestArguments& a) {
  if (a.coordinator) a.name = kCoordinatorName;
  if (a.name == kCoordinatorName && !a.coordinator) {
    throw usage_error({"--name", "", kCertificateNameRule, a.name});
  }
  if (a.name.empty()) {
    throw usage_error({"firm pki request", "--name", "a site name, or --coordinator", "none"});
  }
  const SiteRequest made =
      a.renew ? renew_request(a.directory, a.name) : request_certificate(a.directory, a.name);
  if (!a.renew) fmt::print("wrote {} (secret, stays here)\n", made.key_path);
  fmt::print("wrote {}\n", made.request_path);
  print_fingerprint("\nFingerprint of the public key, to compare over the telephone",
                    made.key_fingerprint);
  fmt::print("\nSend {} to the {}. Put {}.crt and ca.crt, which you get back, into {}.\n",
             made.request_path, a.coordinator ? "authority" : "coordinator",
             certificate_file_name(a.name), a.directory);
}

void add_request(CLI::App& pki) {
  auto a = std::make_shared<RequestArguments>();
  CLI::App* verb = pki.add_subcommand("request", "Site: make a key and a request to certify it");
  verb->add_option("--dir", a->directory, "Directory; created if it does not exist")->required();
  auto* name = verb->add_option("--name", a->name, "Name of the site, as in the study");
  verb->add_flag("--coordinator", a->coordinator,
                 "Request a certificate for a coordinator whose authority is on another machine")
      ->excludes(name);
  verb->add_flag("--renew", a->renew, "Make a new request for the existing key");
  verb->footer(
      "Makes SITE.key, which never leaves the directory, and SITE.csr, which goes to the\n"
      "coordinator.\n"
      "\n"
      "Examples:\n"
      "  firm pki request --dir pki --name argonne\n"
      "  firm pki request --dir pki --name argonne --renew\n"
      "  firm pki request --dir pki --coordinator");
  verb->callback([a] { run_request(*a); });
}

void print_replaced(const Signed& s) {
  if (!s.replaced) return;
  fmt::print(
      "REPLACED another key of {}, fingerprint {}...\n"
      "Its certificate is valid until {}. If that key may be in other hands, revoke it:\n"
      "  firm pki revoke --dir PKI {}\n",
      s.certificate.name, s.replaced->key_fingerprint.substr(0, 16), s.replaced->not_after,
      s.replaced->serial);
}

struct SignArguments {
  SignOptions options;
  std::string study;
};

void run_sign(const SignArguments& a) {
  const std::string name = requested_name(a.options.request);
  if (!a.study.empty()) require_site(a.study, name);
  const Signed s = sign_request(a.options, current_instant());
  print_replaced(s);
  fmt::print("wrote {}\n", s.path);
  if (!a.study.empty()) {
    pin_key(a.study, name, s.certificate.key_fingerprint);
    fmt::print("wrote {}, which names the key of {} now\n", a.study, name);
  }
  const bool coordinator = s.certificate.purpose == CertificatePurpose::kCoordinator;
  const std::string who = coordinator ? "coordinator" : "site";
  fmt::print("{} {}, valid until {}{}\n", who,
             coordinator ? fmt::format("for {}", fmt::join(s.certificate.hosts, ", "))
                         : s.certificate.name,
             pki::time_text(s.certificate.not_after),
             s.cut_short ? ", when the authority expires" : "");
  print_fingerprint(fmt::format("\nFingerprint of the {0}'s public key, which the {0} can read to "
                                "you",
                                who),
                    s.certificate.key_fingerprint);
  print_fingerprint(fmt::format("Fingerprint of the authority, which you can read to the {}", who),
                    s.ca.fingerprint);
  fmt::print("\nSend {} and {} back to {}{}.\n", s.path, s.ca_path, coordinator ? "the " : "",
             s.certificate.name);
}

void add_sign(CLI::App& pki) {
  auto a = std::make_shared<SignArguments>();
  SignOptions* const o = &a->options;
  CLI::App* verb = pki.add_subcommand("sign", "Coordinator: certify the key of a site");
  verb->add_option("REQUEST", o->request, "The site's request, SITE.csr; or coordinator.csr")
      ->required();
  verb->add_option("--dir", o->directory, "Directory of the authority")->required();
  verb->add_option("--out", o->out, "File to write; default: SITE.crt in the directory");
  auto* study = verb->add_option("--study", a->study,
                                 "Study file in which to name the site's key, so that its peers "
                                 "accept no other");
  verb->add_option(
          "--host", o->hosts,
          "Only for a coordinator: host name or IP address by which sites reach it; may be "
          "repeated")
      ->expected(1)
      ->take_all()
      ->excludes(study);
  verb->add_option("--days", o->days,
                   "Days that the certificate is valid; it never outlives the authority")
      ->capture_default_str();
  verb->add_flag("--replace", o->replace,
                 "Accept a key that differs from the earlier one of the site");
  verb->footer(
      "Uses only the name and the key of a request. Adds a line for every certificate to\n"
      "issued.jsonl. Before you send one, compare the key's fingerprint with the site over the\n"
      "telephone.\n"
      "\n"
      "Examples:\n"
      "  firm pki sign --dir pki --study study.toml argonne.csr\n"
      "  firm pki sign --dir pki argonne.csr --days 30 --out /media/stick/argonne.crt\n"
      "  firm pki sign --dir pki coordinator.csr --host recon.example.org");
  verb->callback([a] { run_sign(*a); });
}

void print_file(const std::string& path, bool first) {
  const std::vector<FactRow> rows = describe_certificate_file(path, current_instant());
  fmt::print("{}{}\n", first ? "" : "\n", path);
  for (const FactRow& row : rows) fmt::print("  {:<13} {}\n", row.name, row.value);
}

// Shows all readable files, then throws an error for the others.
void run_show(const std::vector<std::string>& paths) {
  std::vector<std::string> failures;
  const auto attempt = [&](const auto& action) {
    try {
      action();
    } catch (const Error& e) {
      failures.push_back(e.what());
    }
  };
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    attempt([&] {
      for (std::string& file : certificate_files(path)) files.push_back(std::move(file));
    });
  }
  bool first = true;
  for (const std::string& file : files) {
    attempt([&] {
      print_file(file, first);
      first = false;
    });
  }
  if (failures.empty()) return;
  throw Error(Error::Kind::kData, fmt::format("{}", fmt::join(failures, "\nfirm: error: ")));
}

void add_show(CLI::App& pki) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = pki.add_subcommand(
      "show", "Show certificates, requests and revocation lists, and how long they are valid");
  verb->add_option("PATH", *paths, "Files (.crt, .csr, .crl), or directories with such files")
      ->required();
  verb->footer(
      "Never shows private keys. Verifies only the signature of a request by its own key: compare\n"
      "the fingerprint to make sure that a certificate is the right one.\n"
      "\n"
      "Examples:\n"
      "  firm pki show pki\n"
      "  firm pki show argonne.csr");
  verb->callback([paths] { run_show(*paths); });
}

}  // namespace

void add_pki(CLI::App& app) {
  CLI::App* pki = app.add_subcommand(
      "pki",
      "TLS certificates of the coordinator and the sites: init, request, sign, pin, revoke, show");
  pki->require_subcommand(1);
  add_pki_init(*pki);
  add_request(*pki);
  add_sign(*pki);
  add_pki_pin(*pki);
  add_pki_revoke(*pki);
  add_show(*pki);
  pki->footer(std::string(kEnrolment) +
              "\nEach subcommand has its own help, such as 'firm pki init --help'.");
}

}  // namespace firm
