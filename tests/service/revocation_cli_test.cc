// Certificates that were revoked, at coordinator and sites.
#include <fmt/format.h>

#include "core/child_process.h"
#include "federation/pki/revocation.h"
#include "support/certificates.h"
#include "support/command_line.h"

namespace firm {
namespace {

class RevokedCertificate : public CommandLine {
 protected:
  static constexpr double kPatience = 60;  // seconds
  const std::vector<std::string> sites_ = {"xrf-1", "xrf-2", "xrf-3", "xrt"};

  void SetUp() override { make_study(); }

  void start_coordinator() {
    coordinator_ = std::make_unique<ChildProcess>(coordinator_command());
    const auto port = coordinator_->text_after("listening on port ", kPatience);
    ASSERT_TRUE(port) << coordinator_->output();
    port_ = std::stoi(*port);
  }
  std::vector<std::string> coordinator_command() const {
    return {FIRM_PROGRAM,
            "coordinator",
            directory_ / "study/study.toml",
            "--listen",
            "127.0.0.1:0",
            "--pki",
            certificates_.authority(),
            "--out",
            directory_ / "coordinator"};
  }
  std::vector<std::string> site_command(const std::string& name) const {
    return {FIRM_PROGRAM,
            "site",
            directory_ / "study/study.toml",
            "--name",
            name,
            "--server",
            fmt::format("127.0.0.1:{}", port_),
            "--pki",
            certificates_.home(name),
            "--out",
            directory_ / ("run-" + name)};
  }
  // Revokes a certificate with the authority's command; the coordinator uses the same directory.
  void revoke(const std::string& name) {
    const Outcome outcome = run("pki revoke --dir " + certificates_.authority() + " " + name);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_CONTAINS(outcome.out, "revoked " + name);
  }
  void send_list_to(const std::string& site) {
    std::filesystem::copy_file(certificates_.authority() + "/ca.crl",
                               certificates_.home(site) + "/ca.crl",
                               std::filesystem::copy_options::overwrite_existing);
  }
  void expect_ends(const std::string& site, int code, const std::string& part) {
    ChildProcess child(site_command(site));
    EXPECT_EQ(child.wait(kPatience), code) << child.output();
    EXPECT_CONTAINS(child.output(), part);
  }

  Certificates certificates_{sites_, {"127.0.0.1"}};
  std::unique_ptr<ChildProcess> coordinator_;
  int port_ = 0;
};

TEST_F(RevokedCertificate, IsRefusedByRunningCoordinator) {
  start_coordinator();
  {
    ChildProcess site(site_command("xrf-1"));
    EXPECT_TRUE(coordinator_->prints("xrf-1: connected", kPatience)) << coordinator_->output();
  }
  revoke("xrf-1");
  expect_ends("xrf-1", 4,
              "expected a certificate that is not revoked, found the certificate of xrf-1");
  EXPECT_TRUE(coordinator_->prints("refused: certificate of a site: expected a certificate that is",
                                   kPatience));
  ChildProcess other(site_command("xrf-2"));
  EXPECT_TRUE(coordinator_->prints("xrf-2: connected", kPatience)) << coordinator_->output();
}

TEST_F(RevokedCertificate, IsRefusedBySite) {
  start_coordinator();
  revoke("xrf-1");
  send_list_to("xrf-1");
  expect_ends("xrf-1", 4,
              "the certificate of this site: expected a certificate that is not revoked");
  // The coordinator's: its own copy of the list comes later.
  revoke("coordinator");
  send_list_to("xrf-2");
  expect_ends("xrf-2", 4, "found the certificate of coordinator with serial number");
  EXPECT_EQ(coordinator_->output().find("xrf-2: connected: "), std::string::npos);
  coordinator_->kill();
  ChildProcess again(coordinator_command());
  EXPECT_EQ(again.wait(kPatience), 4) << again.output();
  EXPECT_CONTAINS(again.output(), "coordinator.crt: expected a certificate that is not revoked");
}

TEST_F(RevokedCertificate, ListMustBeCurrent) {
  revoke_certificates({certificates_.authority(), "", 1}, current_instant() - std::chrono::days(3));
  ChildProcess coordinator(coordinator_command());
  EXPECT_EQ(coordinator.wait(kPatience), 3) << coordinator.output();
  EXPECT_CONTAINS(coordinator.output(), "ca.crl: validity: expected a revocation list for");
  EXPECT_CONTAINS(coordinator.output(), "firm pki revoke --dir DIR makes a new one");
  const Outcome check =
      run("check study/study.toml --listen 127.0.0.1:0 --pki " + certificates_.authority());
  EXPECT_EQ(check.code, 4);
  EXPECT_CONTAINS(check.out, "revocation");
}

TEST_F(RevokedCertificate, FederationRunsWithListAndPinnedKeys) {
  const Outcome pin = run("pki pin study/study.toml --dir " + certificates_.authority());
  ASSERT_EQ(pin.code, 0) << pin.err;
  certificates_.enrol("berkeley");
  revoke("berkeley");
  for (const std::string& site : sites_) send_list_to(site);
  start_coordinator();
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (const std::string& site : sites_) {
    children.push_back(std::make_unique<ChildProcess>(site_command(site)));
  }
  for (const auto& child : children) {
    EXPECT_EQ(child->wait(kPatience), 0) << child->output();
    EXPECT_EQ(child->output().find("names no key"), std::string::npos) << child->output();
  }
  EXPECT_EQ(coordinator_->wait(kPatience), 0) << coordinator_->output();
  EXPECT_TRUE(std::filesystem::exists(directory_ / "run-xrt/revocation-number"));
}

}  // namespace
}  // namespace firm
