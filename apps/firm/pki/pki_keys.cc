#include "pki/pki_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include "federation/pki/pinned_keys.h"
#include "federation/pki/revocation.h"
#include "federation/pki/text.h"
#include "firm/error.h"

namespace firm {
namespace {

struct PinArguments {
  std::string study;
  std::string directory;
};

void run_pin(const PinArguments& a) {
  const PinnedStudy pinned = pin_keys(a.study, a.directory);
  if (!pinned.unknown.empty()) {
    throw usage_error({a.study, "key", "a certificate for every site, from firm pki sign",
                       fmt::format("none for {}; the keys of the others are in the study",
                                   fmt::join(pinned.unknown, ", "))});
  }
  if (pinned.changed.empty()) {
    fmt::print("{} names the keys of all sites already\n", a.study);
    return;
  }
  fmt::print("wrote {}, which names the keys of {} now\n", a.study,
             fmt::join(pinned.changed, ", "));
  fmt::print("Send it to all members: the study must be the same everywhere.\n");
}

void run_revoke(const RevokeOptions& o) {
  const Revoked r = revoke_certificates(o, current_instant());
  for (const IssuedCertificate& issued : r.added) {
    fmt::print("revoked {}, serial number {}, key {}...\n", issued.name, issued.serial,
               issued.key_fingerprint.substr(0, 16));
  }
  if (!o.who.empty() && r.added.empty()) {
    fmt::print("nothing to revoke: the certificates of {} are revoked already, or have expired\n",
               o.who);
  }
  fmt::print("wrote {}: list {} with {} certificate{}, valid until {}\n", r.path, r.list.number,
             r.list.revoked.size(), r.list.revoked.size() == 1 ? "" : "s",
             pki::time_text(r.list.next_update));
  fmt::print("Send it to the coordinator and to all sites, to be put beside ca.crt.\n");
}

}  // namespace

void add_pki_pin(CLI::App& pki) {
  auto a = std::make_shared<PinArguments>();
  CLI::App* verb =
      pki.add_subcommand("pin", "Coordinator: name the keys of all sites in the study");
  verb->add_option("STUDY", a->study, "Study file, study.toml")->required();
  verb->add_option("--dir", a->directory, "Directory of the authority")->required();
  verb->footer(
      "Writes key = \"...\" into the table of each site: the key that was signed last for it.\n"
      "Comments and layout of the study stay. Sites then accept no other key, whoever signs it.\n"
      "\n"
      "Example:\n"
      "  firm pki pin study.toml --dir pki");
  verb->callback([a] { run_pin(*a); });
}

void add_pki_revoke(CLI::App& pki) {
  auto o = std::make_shared<RevokeOptions>();
  CLI::App* verb = pki.add_subcommand(
      "revoke", "Coordinator: list certificates that count no more, in a signed list");
  verb->add_option("WHO", o->who,
                   "Name, for all certificates issued for it, or serial number of one; default: "
                   "none, the list is only renewed");
  verb->add_option("--dir", o->directory, "Directory of the authority")->required();
  verb->add_option("--days", o->days,
                   "Days until the next list; after them coordinator and sites refuse the list")
      ->capture_default_str();
  verb->footer(
      "Writes ca.crl, an X.509 revocation list, with all that was revoked before. It goes to the\n"
      "coordinator and to all sites, beside ca.crt. They refuse the certificates in it, from the\n"
      "next connection or attempt on, and read it again when it changes.\n"
      "\n"
      "Examples:\n"
      "  firm pki revoke --dir pki argonne\n"
      "  firm pki revoke --dir pki 4F2A90C1\n"
      "  firm pki revoke --dir pki");
  verb->callback([o] { run_revoke(*o); });
}

}  // namespace firm
