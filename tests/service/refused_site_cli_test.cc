// Sites that a coordinator refuses: messages at both ends, and exit codes.
#include <fmt/format.h>

#include "core/child_process.h"
#include "io/study/study_file.h"
#include "support/certificates.h"
#include "support/command_line.h"

namespace firm {
namespace {

class RefusedSite : public CommandLine {
 protected:
  static constexpr double kPatience = 60;  // seconds
  const std::vector<std::string> sites_ = {"xrf-1", "xrf-2", "xrf-3", "xrt"};

  void SetUp() override {
    make_study();
    coordinator_ = std::make_unique<ChildProcess>(std::vector<std::string>{
        FIRM_PROGRAM, "coordinator", directory_ / "study/study.toml", "--listen", "127.0.0.1:0",
        "--pki", certificates_.authority(), "--out", directory_ / "coordinator"});
    const auto port = coordinator_->text_after("listening on port ", kPatience);
    ASSERT_TRUE(port) << coordinator_->output();
    port_ = std::stoi(*port);
  }

  std::vector<std::string> site_command(const std::string& name, const std::string& pki) const {
    return {FIRM_PROGRAM, "site",     directory_ / "study/study.toml",    "--name",
            name,         "--server", fmt::format("127.0.0.1:{}", port_), "--pki",
            pki,          "--out",    directory_ / ("run-" + name)};
  }

  // Expects exit code 4 and `part` in the error; the coordinator keeps running.
  void expect_refused(const std::vector<std::string>& command, const std::string& part) {
    ChildProcess site(command);
    EXPECT_EQ(site.wait(kPatience), 4) << site.output();
    EXPECT_CONTAINS(site.output(), "firm: error: ");
    EXPECT_CONTAINS(site.output(), part);
    EXPECT_TRUE(coordinator_->running());
  }

  Certificates certificates_{sites_, {"127.0.0.1"}};
  std::unique_ptr<ChildProcess> coordinator_;
  int port_ = 0;
};

// A list of certificates that is being copied must not end a site for good.
TEST_F(RefusedSite, RetriesWhenListOfCertificatesIsMissing) {
  namespace fs = std::filesystem;
  const fs::path list = fs::path(certificates_.authority()) / "issued.jsonl";
  fs::rename(list, list.string() + ".away");
  ChildProcess site(site_command("xrf-1", certificates_.home("xrf-1")));
  EXPECT_TRUE(site.prints("cannot read its list of certificates at present", kPatience))
      << site.output();
  EXPECT_TRUE(coordinator_->prints("refused: ", kPatience));
  EXPECT_EQ(site.output().find(list.string()), std::string::npos);
  EXPECT_TRUE(site.running());
  fs::rename(list.string() + ".away", list);
  EXPECT_TRUE(coordinator_->prints("xrf-1: connected", kPatience));
}

TEST_F(RefusedSite, EndsWithExitCode4) {
  const std::string home = certificates_.home("xrf-1");
  std::vector<std::string> command = site_command("xrf-1", home);
  command.insert(command.end(), {"--set", "method=firm"});
  expect_refused(command, "option method: expected firm-ds, found firm");
  EXPECT_TRUE(coordinator_->prints("xrf-1: refused: the study differs", kPatience));

  command = site_command("xrf-1", home);
  *std::find(command.begin(), command.end(), fmt::format("127.0.0.1:{}", port_)) =
      fmt::format("localhost:{}", port_);
  expect_refused(command, "expected a certificate for the host localhost, found one for others");

  const Certificates other_authority({"xrf-1"});
  expect_refused(site_command("xrf-1", other_authority.home("xrf-1")), "is of another authority");
  EXPECT_TRUE(coordinator_->prints("a connection was refused: ", kPatience));

  certificates_.enrol("xrf-1");
  expect_refused(site_command("xrf-1", home), "expected the key that was signed last");
  EXPECT_TRUE(coordinator_->prints("refused: certificate of xrf-1: expected the key", kPatience));

  certificates_.enrol("xrf-1", Certificates::long_ago());
  expect_refused(site_command("xrf-1", certificates_.home("xrf-1")),
                 "expected a certificate that is valid");
}

// A certificate that expires while the site retries, and one that is renewed in time.
TEST_F(RefusedSite, EndsWhenCertificateExpires) {
  const auto almost_a_year_ago =
      current_instant() - std::chrono::days(kLeafDays) + std::chrono::seconds(2);
  certificates_.enrol("xrf-1", almost_a_year_ago);
  const std::string home = certificates_.home("xrf-1");
  std::vector<std::string> command = site_command("xrf-1", home);
  *std::find(command.begin(), command.end(), fmt::format("127.0.0.1:{}", port_)) = "127.0.0.1:1";
  ChildProcess site(command);
  EXPECT_EQ(site.wait(kPatience), 4) << site.output();
  EXPECT_CONTAINS(site.output(), "xrf-1.crt: validity: expected a certificate that is valid on");
  EXPECT_CONTAINS(site.output(),
                  fmt::format("firm pki request --dir {} --name xrf-1 --renew", home));
}

// When two processes run as one site, the later one takes part.
TEST_F(RefusedSite, FirstProcessEndsWhenStartedTwice) {
  const std::vector<std::string> command = site_command("xrf-1", certificates_.home("xrf-1"));
  ChildProcess first(command);
  ASSERT_TRUE(first.prints("waiting for xrf-2", kPatience)) << first.output();
  std::vector<std::unique_ptr<ChildProcess>> all;
  std::vector<std::string> elsewhere = command;
  elsewhere.back() += "-elsewhere";
  all.push_back(std::make_unique<ChildProcess>(elsewhere));
  // Not 4, after which systemd would start it again: the two would displace one another for ever.
  EXPECT_EQ(first.wait(kPatience), 2) << first.output();
  EXPECT_CONTAINS(first.output(), "firm: error: coordinator: xrf-1 has connected again");
  for (const std::string& name : {sites_[1], sites_[2], sites_[3]}) {
    all.push_back(std::make_unique<ChildProcess>(site_command(name, certificates_.home(name))));
  }
  for (const auto& site : all) EXPECT_EQ(site->wait(kPatience), 0) << site->output();
  EXPECT_EQ(coordinator_->wait(kPatience), 0) << coordinator_->output();
}

TEST_F(RefusedSite, CoordinatorNeedsTwoSites) {
  StudyFile file = read_study(directory_ / "study/study.toml");
  file.sites.erase(file.sites.begin(), file.sites.end() - 1);
  file.other = true;
  write_study(directory_ / "study/one.toml", file);
  expect_error(run("coordinator study/one.toml --listen 127.0.0.1:0 --out other --pki " +
                   certificates_.authority()),
               2, "study/one.toml: sites: expected two or more; firm recon is for one, found 1");
}

}  // namespace
}  // namespace firm
