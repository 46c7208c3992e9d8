// Sites that a coordinator does not want: what each end says, and the exit code.
#include "federation/certificates.h"
#include "support/command_line.h"
#include "io/study/study_file.h"
#include "support/process.h"

namespace firm {
namespace {

class RefusedSite : public CommandLine {
 protected:
  static constexpr double kPatience = 60;  // seconds
  const std::vector<std::string> sites_ = {"xrf-1", "xrf-2", "xrf-3", "xrt"};

  void SetUp() override {
    make_study();
    coordinator_ = std::make_unique<Process>(std::vector<std::string>{
        FIRM_PROGRAM, "coordinator", directory_ / "study/study.toml", "--listen", "127.0.0.1:0",
        "--pki", certificates_.authority(), "--out", directory_ / "coordinator"});
    const std::string mark = "listening on port ";
    ASSERT_TRUE(coordinator_->prints(mark, kPatience)) << coordinator_->output();
    const std::string text = coordinator_->output();
    port_ = std::stoi(text.substr(text.find(mark) + mark.size()));
  }

  std::vector<std::string> site_command(const std::string& name, const std::string& pki) const {
    return {FIRM_PROGRAM, "site",     directory_ / "study/study.toml",    "--name",
            name,         "--server", fmt::format("127.0.0.1:{}", port_), "--pki",
            pki,          "--out",    directory_ / ("run-" + name)};
  }

  // Exit code 4, for a reason; the coordinator goes on.
  void expect_refused(const std::vector<std::string>& command, const std::string& part) {
    Process site(command);
    EXPECT_EQ(site.wait(kPatience), 4) << site.output();
    EXPECT_CONTAINS(site.output(), "firm: error: ");
    EXPECT_CONTAINS(site.output(), part);
    EXPECT_TRUE(coordinator_->running());
  }

  Certificates certificates_{sites_, {"127.0.0.1"}};
  std::unique_ptr<Process> coordinator_;
  int port_ = 0;
};

// A list that is just being copied is no reason for a site to go for good.
TEST_F(RefusedSite, ComesAgainWhenTheCoordinatorCannotTell) {
  namespace fs = std::filesystem;
  const fs::path list = fs::path(certificates_.authority()) / "issued.jsonl";
  fs::rename(list, list.string() + ".away");
  Process site(site_command("xrf-1", certificates_.home("xrf-1")));
  EXPECT_TRUE(site.prints("cannot tell whom to admit at present", kPatience)) << site.output();
  EXPECT_TRUE(coordinator_->prints("refused: ", kPatience));
  EXPECT_EQ(site.output().find(list.string()), std::string::npos);
  EXPECT_TRUE(site.running());
  fs::rename(list.string() + ".away", list);
  EXPECT_TRUE(coordinator_->prints("xrf-1: connected", kPatience));
}

TEST_F(RefusedSite, LeavesWithExitCode4) {
  const std::string home = certificates_.home("xrf-1");
  std::vector<std::string> command = site_command("xrf-1", home);
  command.insert(command.end(), {"--set", "method=firm"});
  expect_refused(command, "option method: expected firm-ds, found firm");
  EXPECT_TRUE(coordinator_->prints("xrf-1: refused: the study differs", kPatience));

  command = site_command("xrf-1", home);
  *std::find(command.begin(), command.end(), fmt::format("127.0.0.1:{}", port_)) =
      fmt::format("localhost:{}", port_);
  expect_refused(command, "expected a certificate for the host localhost, found one for others");

  const Certificates foreign({"xrf-1"});
  expect_refused(site_command("xrf-1", foreign.home("xrf-1")), "is of another authority");
  EXPECT_TRUE(coordinator_->prints("a connection was refused: ", kPatience));

  certificates_.enrol("xrf-1");
  expect_refused(site_command("xrf-1", home), "expected the key that was signed last");
  EXPECT_TRUE(coordinator_->prints("refused: certificate of xrf-1: expected the key", kPatience));

  certificates_.enrol("xrf-1", Certificates::long_ago());
  expect_refused(site_command("xrf-1", certificates_.home("xrf-1")),
                 "expected a certificate that is valid");
}

// A certificate that runs out while the site dials, and one that is renewed in time.
TEST_F(RefusedSite, LeavesWhenItsCertificateHasRunOut) {
  const auto almost_a_year_ago =
      current_instant() - std::chrono::days(kLeafDays) + std::chrono::seconds(2);
  certificates_.enrol("xrf-1", almost_a_year_ago);
  const std::string home = certificates_.home("xrf-1");
  std::vector<std::string> command = site_command("xrf-1", home);
  *std::find(command.begin(), command.end(), fmt::format("127.0.0.1:{}", port_)) = "127.0.0.1:1";
  Process site(command);
  EXPECT_EQ(site.wait(kPatience), 4) << site.output();
  EXPECT_CONTAINS(site.output(), "xrf-1.crt: validity: expected a certificate that is valid on");
  EXPECT_CONTAINS(site.output(),
                  fmt::format("firm pki request --dir {} --name xrf-1 --renew", home));
}

// Of two processes the later one takes part; then all sites do.
TEST_F(RefusedSite, LeavesWhenItIsStartedTwice) {
  const std::vector<std::string> command = site_command("xrf-1", certificates_.home("xrf-1"));
  Process first(command);
  ASSERT_TRUE(first.prints("waiting for xrf-2", kPatience)) << first.output();
  std::vector<std::unique_ptr<Process>> all;
  std::vector<std::string> elsewhere = command;
  elsewhere.back() += "-elsewhere";
  all.push_back(std::make_unique<Process>(elsewhere));
  EXPECT_EQ(first.wait(kPatience), 4) << first.output();
  EXPECT_CONTAINS(first.output(), "firm: error: coordinator: xrf-1 has connected again");
  for (const std::string& name : {sites_[1], sites_[2], sites_[3]}) {
    all.push_back(std::make_unique<Process>(site_command(name, certificates_.home(name))));
  }
  for (const auto& site : all) EXPECT_EQ(site->wait(kPatience), 0) << site->output();
  EXPECT_EQ(coordinator_->wait(kPatience), 0) << coordinator_->output();
}

TEST_F(RefusedSite, IsNotAskedForWhereThereIsOnlyOne) {
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
