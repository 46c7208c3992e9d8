// `firm pki` as a program: output, exit codes and files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "federation/pki/certificates.h"
#include "federation/pki/describe.h"
#include "io/files/pending_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

class PkiCommand : public CommandLine {
 protected:
  Outcome pki(const std::string& arguments) { return run("pki " + arguments); }

  void expect_done(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }

  void enrol(const std::string& name) {
    expect_done(pki("request --dir site --name " + name));
    expect_done(pki("sign --dir center site/" + name + ".csr --out site/" + name + ".crt"));
    std::filesystem::copy_file(directory_ / "center/ca.crt", directory_ / "site/ca.crt",
                               std::filesystem::copy_options::overwrite_existing);
  }

  std::string text(const std::string& name) const { return file_content(directory_ / name); }

  unsigned mode(const std::string& name) const {
    struct stat status {};
    return ::stat((directory_ / name).c_str(), &status) == 0 ? status.st_mode & 07777u : 0u;
  }
};

TEST_F(PkiCommand, PrintsHelp) {
  const Outcome all = pki("--help");
  expect_done(all);
  for (const std::string step : {"init", "request", "sign", "show"}) {
    EXPECT_CONTAINS(all.out, "firm pki " + step);
    const Outcome o = pki(step + " --help");
    expect_done(o);
    EXPECT_CONTAINS(o.out, "Example");
    EXPECT_CONTAINS(o.out, "firm pki " + step + " ");
  }
  EXPECT_CONTAINS(run("--help").out, "pki");
}

TEST_F(PkiCommand, EnrolsSite) {
  const Outcome made =
      pki("init --dir center --name 'Zeolite 2027' --host recon.example.org --host 192.0.2.7");
  expect_done(made);
  const Credentials coordinator =
      load_coordinator_credentials(directory_ / "center", current_instant());
  EXPECT_EQ(coordinator.certificate.hosts,
            (std::vector<std::string>{"recon.example.org", "192.0.2.7"}));
  EXPECT_EQ(coordinator.ca.name, "Zeolite 2027");
  EXPECT_CONTAINS(made.out, grouped(coordinator.ca.fingerprint, 4));

  const Outcome request = pki("request --dir site --name argonne");
  expect_done(request);
  const Outcome answer = pki("sign --dir center site/argonne.csr");
  expect_done(answer);
  EXPECT_CONTAINS(answer.out, "Send center/argonne.crt and center/ca.crt back to argonne.");
  EXPECT_CONTAINS(answer.out, grouped(coordinator.ca.fingerprint, 4));
  std::filesystem::copy(directory_ / "center/argonne.crt", directory_ / "site");
  std::filesystem::copy(directory_ / "center/ca.crt", directory_ / "site");
  const Credentials site = load_site_credentials(directory_ / "site", "argonne", current_instant());
  for (const Outcome& o : {request, answer}) {
    EXPECT_CONTAINS(o.out, grouped(site.certificate.key_fingerprint, 4));
  }
  EXPECT_EQ(verify_site(site.certificate_pem, coordinator.ca_pem, current_instant()), "argonne");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "center/argonne.key"));
}

// The authority is on another machine: the coordinator's key stays with the coordinator, too.
TEST_F(PkiCommand, EnrolsCoordinator) {
  expect_done(pki("init --dir authority --authority-only"));
  for (const std::string name : {"coordinator.key", "coordinator.crt"}) {
    EXPECT_FALSE(std::filesystem::exists(directory_ / ("authority/" + name)));
  }
  const Outcome request = pki("request --dir center --coordinator");
  expect_done(request);
  expect_error(pki("sign --dir authority center/coordinator.csr"), 3,
               "found CN = coordinator; the certificate of a coordinator needs --host");
  const Outcome answer =
      pki("sign --dir authority center/coordinator.csr --host recon.example.org --host 192.0.2.7");
  expect_done(answer);
  EXPECT_CONTAINS(answer.out, "coordinator for recon.example.org, 192.0.2.7, valid until");
  for (const std::string name : {"coordinator.crt", "ca.crt", "issued.jsonl"}) {
    std::filesystem::copy(directory_ / ("authority/" + name), directory_ / "center");
  }
  const Credentials made = load_coordinator_credentials(directory_ / "center", current_instant());
  EXPECT_EQ(made.certificate.hosts, (std::vector<std::string>{"recon.example.org", "192.0.2.7"}));
  EXPECT_CONTAINS(request.out, grouped(made.certificate.key_fingerprint, 4));
  EXPECT_CONTAINS(answer.out, grouped(made.certificate.key_fingerprint, 4));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "authority/coordinator.key"));

  expect_done(pki("request --dir center --coordinator --renew"));
  expect_done(pki("sign --dir authority center/coordinator.csr --host recon.example.org"));
  expect_error(pki("request --dir center --coordinator"), 3, "center/coordinator.key");
  expect_error(pki("request --dir center"), 2, "--coordinator");
  // The name alone does not give a coordinator's certificate, and a site has no hosts.
  expect_done(pki("request --dir site --name argonne"));
  expect_error(pki("sign --dir authority site/argonne.csr --host evil.example.org"), 3,
               "expected CN = coordinator, which --host is for, found CN = argonne");
}

TEST_F(PkiCommand, KeepsListOfIssuedCertificates) {
  expect_done(pki("init --dir center"));
  enrol("argonne");
  std::istringstream lines(text("center/issued.jsonl"));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(nlohmann::json::parse(line).at("name"), "coordinator");
  ASSERT_TRUE(std::getline(lines, line));
  const auto j = nlohmann::json::parse(line);
  const CertificateFacts facts =
      load_site_credentials(directory_ / "site", "argonne", current_instant()).certificate;
  EXPECT_EQ(j.at("name"), "argonne");
  EXPECT_EQ(j.at("serial"), facts.serial);
  EXPECT_EQ(j.at("key_fingerprint"), facts.key_fingerprint);
  EXPECT_EQ(j.at("not_after").get<std::string>().size(),
            std::string("2027-01-01T00:00:00Z").size());
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(PkiCommand, ShowsFiles) {
  expect_done(pki("init --dir center"));
  enrol("argonne");
  const Outcome all = pki("show center site site/argonne.csr");
  expect_done(all);
  for (const char* part :
       {"center/ca.crt", "center/coordinator.crt", "site/argonne.crt", "site/argonne.csr",
        "authority (signs certificates)", "coordinator (TLS server)", "site (TLS client)",
        "subject       CN = argonne", "issuer        O = FIRM, CN = FIRM study",
        "hosts         localhost, 127.0.0.1, ::1", "ECDSA P-256",
        "certificate request, signed by its own key"}) {
    EXPECT_CONTAINS(all.out, part);
  }
  EXPECT_CONTAINS(all.out, " days left)");
  EXPECT_EQ(all.out.find("PRIVATE"), std::string::npos);
  EXPECT_EQ(all.out.find(".key"), std::string::npos);
}

TEST_F(PkiCommand, ShowsReadableFilesOfDirectory) {
  expect_done(pki("init --dir center"));
  write_text_file(directory_ / "center/bad.crt", text("center/ca.crt").substr(0, 300));
  const Outcome o = pki("show center none.csr");
  EXPECT_EQ(o.code, 3);
  EXPECT_CONTAINS(o.out, "center/coordinator.crt");
  EXPECT_CONTAINS(o.err, "center/bad.crt: expected a certificate (PEM), found one that is damaged");
  EXPECT_CONTAINS(o.err, "\nfirm: error: none.csr: ");
}

TEST_F(PkiCommand, RefusesOtherFiles) {
  expect_done(pki("init --dir center"));
  expect_done(pki("request --dir site --name argonne"));
  write_text_file(directory_ / "text.crt", "hello");
  expect_error(pki("show text.crt"), 3,
               "text.crt: expected a certificate (PEM), found no PEM text");
  expect_error(pki("show none.crt"), 3, "found No such file");
  expect_error(pki("show center/ca.key"), 3, "found a private key");
  std::filesystem::copy(directory_ / "site/argonne.csr", directory_ / "request.crt");
  expect_error(pki("show request.crt"), 3, "found a certificate request");
  std::filesystem::copy(directory_ / "center/ca.crt", directory_ / "ca.csr");
  expect_error(pki("show ca.csr"), 3, "found a certificate");
  expect_error(pki("sign --dir center ca.csr"), 3, "found a certificate");
  expect_error(pki("sign --dir center site"), 3, "found a directory");
  std::filesystem::create_directory(directory_ / "empty");
  expect_error(pki("show empty"), 3, "found none");
  expect_error(pki("sign --dir empty site/argonne.csr"), 3,
               "to make an authority: firm pki init --dir empty\n");
  std::filesystem::create_directory(directory_ / "my pki");
  expect_error(pki("sign --dir 'my pki' site/argonne.csr"), 3, "firm pki init --dir 'my pki'\n");
  expect_error(pki("sign --dir nowhere site/argonne.csr"), 3, "nowhere");
}

TEST_F(PkiCommand, RefusesWrongUsage) {
  expect_error(pki(""), 2, "expected a verb (init, request, sign, pin, revoke, show), found none");
  expect_error(pki("init"), 2, "--dir");
  expect_error(pki("sign --dir a"), 2, "REQUEST");
  expect_error(pki("show"), 2, "PATH");
  expect_error(pki("init --dir a --days 0"), 2, "--days: expected from 1 to 36500, found 0");
  expect_error(pki("init --dir a --days many"), 2, "--days");
  expect_error(pki("init --dir a --host https://a"), 2, "--host: expected a host name");
  expect_error(pki("init --dir a --name ''"), 2, "--name");
  expect_error(pki("init --dir a --renew --days 3"), 2, "--renew");
  for (const std::string name : {"'a b'", "../a", "coordinator", "''", ".a"}) {
    expect_error(pki("request --dir a --name " + name), 2, "expected a site name");
  }
  EXPECT_FALSE(std::filesystem::exists(directory_ / "a"));
}

TEST_F(PkiCommand, DoesNotOverwrite) {
  expect_done(pki("init --dir center"));
  const std::string key = text("center/ca.key");
  expect_error(pki("init --dir center"), 3, "ca.key: expected no authority here yet");
  enrol("argonne");
  const std::string secret = text("site/argonne.key");
  expect_error(pki("request --dir site --name argonne"), 3, "--renew makes a new request");
  for (const std::string name : {"ca.key", "ca.crt", "coordinator.crt", "issued.jsonl"}) {
    const std::string before = text("center/" + name);
    expect_error(pki("sign --dir center site/argonne.csr --out center/" + name), 3,
                 "not overwritten");
    EXPECT_EQ(text("center/" + name), before);
  }
  EXPECT_EQ(text("center/ca.key"), key);
  EXPECT_EQ(text("site/argonne.key"), secret);
}

TEST_F(PkiCommand, RenewsWithSameKeys) {
  expect_done(pki("init --dir center --host recon.example.org"));
  enrol("argonne");
  const std::string key = text("site/argonne.key");
  const std::string server_key = text("center/coordinator.key");
  const std::string old = text("site/argonne.crt");
  expect_done(pki("request --dir site --name argonne --renew"));
  expect_done(pki("sign --dir center site/argonne.csr --out site/argonne.crt"));
  EXPECT_EQ(text("site/argonne.key"), key);
  EXPECT_NE(text("site/argonne.crt"), old);

  const std::string certificate = text("center/coordinator.crt");
  expect_done(pki("init --dir center --renew"));
  EXPECT_EQ(text("center/coordinator.key"), server_key);
  EXPECT_NE(text("center/coordinator.crt"), certificate);
  const auto hosts = [&] {
    return load_coordinator_credentials(directory_ / "center", current_instant()).certificate.hosts;
  };
  EXPECT_EQ(hosts(), std::vector<std::string>{"recon.example.org"});
  expect_done(pki("init --dir center --renew --host other.example.org"));
  EXPECT_EQ(hosts(), std::vector<std::string>{"other.example.org"});
}

TEST_F(PkiCommand, ReportsReplacedKey) {
  expect_done(pki("init --dir center --days 20"));
  enrol("argonne");
  expect_done(pki("request --dir new --name argonne"));
  expect_error(pki("sign --dir center new/argonne.csr"), 3, "--replace");
  const Outcome o = pki("sign --dir center new/argonne.csr --replace");
  expect_done(o);
  EXPECT_CONTAINS(o.out, "REPLACED another key of argonne");
  EXPECT_CONTAINS(o.out, "when the authority expires");
}

TEST_F(PkiCommand, OnlyOwnerCanReadKeys) {
  std::filesystem::create_directory(directory_ / "open");
  ::chmod((directory_ / "open").c_str(), 0755);
  expect_done(run("pki init --dir center/", "umask 0;"));
  expect_done(run("pki request --dir open --name argonne", "umask 0;"));
  EXPECT_EQ(mode("center"), 0700u);
  EXPECT_EQ(mode("open"), 0755u);
  for (const std::string name : {"center/ca.key", "center/coordinator.key", "open/argonne.key"}) {
    EXPECT_EQ(mode(name), 0600u);
  }
  EXPECT_EQ(mode("center/ca.crt"), 0644u);
  ::chmod((directory_ / "center/ca.key").c_str(), 0640);
  expect_error(pki("sign --dir center open/argonne.csr"), 3,
               "center/ca.key: mode: expected a private key that its owner alone can read (0600), "
               "found 0640; run: chmod 600 center/ca.key");
}

TEST_F(PkiCommand, LeavesNoFilesWhenDiskIsFull) {
  const Outcome o = run("pki init --dir center", "trap '' XFSZ; ulimit -f 0;");
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(std::filesystem::is_empty(directory_ / "center"));
}

}  // namespace
}  // namespace firm
