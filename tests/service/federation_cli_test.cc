// firm coordinator and firm site without faults: agreement, refusals, files and published images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>

#include "firm/error.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "service/federation_processes.h"

namespace firm {
namespace {

constexpr const char* kCoordinator = FederationProcesses::kCoordinator;

const std::vector<std::string> kFirm = {"method=firm", "stop.rounds=30", "stop.discrepancy=0"};
const std::vector<std::string> kFedPgd = {"method=fedpgd", "stop.rounds=9", "stop.discrepancy=0"};

FederationPlan plan(std::vector<std::string> settings) {
  FederationPlan p;
  p.settings = std::move(settings);
  return p;
}

// Replaces `from` in the study, which all processes read.
void change_study(const FederationProcesses& federation, const std::string& from,
                  const std::string& to) {
  write_text_file(federation.study(), replaced(file_content(federation.study()), from, to));
}

TEST(Federation, GivesImagesOfOneProcess) {
  for (const auto& settings :
       {std::vector<std::string>{}, kFirm,
        std::vector<std::string>{"method=firm+", "stop.rounds=30", "stop.discrepancy=0"}}) {
    FederationProcesses federation(plan(settings));
    federation.start_all();
    federation.expect_all_finish();
    const auto reference = federation.reference();
    for (const std::string& site : FederationProcesses::sites()) {
      const auto summary = federation.json(site, "summary.json");
      EXPECT_EQ(summary.at("rounds"), reference.at("rounds"));
      EXPECT_EQ(summary.at("objective"), reference.at("objective"));
      EXPECT_EQ(summary.at("sites").size(), 1u);
      EXPECT_EQ(summary.at("federation").at("attempt"), 1);
      EXPECT_TRUE(summary.at("federation").at("secure_aggregation"));
      EXPECT_CONTAINS(federation.log(site), "Sent by this site");
      EXPECT_CONTAINS(federation.log(site), "share");
    }
    EXPECT_EQ(federation.json(kCoordinator, "summary.json").at("attempts"), 1);
  }
}

TEST(Federation, FindsStrengthOfPriorOfOneProcess) {
  FederationProcesses federation(plan({"prior.kind=tv"}));
  federation.start_all();
  federation.expect_all_finish();
  const auto reference = federation.reference();
  for (const std::string& site : FederationProcesses::sites()) {
    const auto summary = federation.json(site, "summary.json");
    EXPECT_EQ(summary.at("objective"), reference.at("objective"));
    EXPECT_EQ(summary.at("kkt").at("gap"), reference.at("kkt").at("gap"));
    EXPECT_EQ(summary.at("prior").at("strength"), reference.at("prior").at("strength"));
    EXPECT_EQ(summary.at("prior").at("curve"), reference.at("prior").at("curve"));
    EXPECT_EQ(summary.at("prior").at("lambda").size(), site == "xrt" ? 0u : 1u);
  }
}

// Each site estimates its own noise; every site needs that of all.
TEST(Federation, SharesEstimatedNoise) {
  FederationPlan estimated = plan({});
  estimated.site_line = "sigma = \"estimate\"";
  FederationProcesses federation(estimated);
  federation.start_all();
  federation.expect_all_finish();
  EXPECT_EQ(federation.json("xrf-1", "summary.json").at("objective"),
            federation.reference().at("objective"));
}

TEST(Federation, KeepsImagesAtTheirSites) {
  FederationProcesses federation(plan({}));
  federation.start_all();
  federation.expect_all_finish();
  EXPECT_FALSE(std::filesystem::exists(federation.out(kCoordinator) + "/published"));
  for (const std::string& site : FederationProcesses::sites()) {
    EXPECT_EQ(federation.sent(site, "image"), 0);
    for (const std::string& other : FederationProcesses::sites()) {
      const std::string file = federation.out(site) + "/images.h5";
      if (other == site) {
        EXPECT_NO_THROW(read_images(file, other));
      } else {
        EXPECT_THROW(read_images(file, other), Error) << other << " at " << site;
      }
    }
  }
}

TEST(Federation, PublishesImageOnRequest) {
  FederationPlan with_image = plan({});
  with_image.site_arguments = {"--publish"};
  FederationProcesses federation(with_image);
  federation.start_all();
  federation.expect_all_finish();
  for (const std::string& site : FederationProcesses::sites()) {
    const Block own = read_images(federation.out(site) + "/images.h5", site);
    const Block published =
        read_images(federation.out(kCoordinator) + "/published/" + site + ".h5", site);
    EXPECT_TRUE(std::ranges::equal(own.values(), published.values())) << site;
    EXPECT_GT(federation.sent(site, "image"), 0);
  }
}

std::set<std::string> hashes_of_shares(const FederationProcesses& federation) {
  std::set<std::string> hashes;
  for (const std::string& site : FederationProcesses::sites()) {
    for (const auto& line : federation.ledger(site)) {
      if (line.at("kind") == "share") hashes.insert(line.at("sha256").get<std::string>());
    }
  }
  return hashes;
}

// Equal shares give different bytes with masks, and equal bytes without.
TEST(Federation, MasksShares) {
  for (const bool secure : {true, false}) {
    FederationPlan p = plan({"method=firm", "stop.rounds=4", "stop.discrepancy=0"});
    if (!secure) p.coordinator_arguments = p.site_arguments = {"--insecure"};
    FederationProcesses federation(p);
    std::set<std::string> first;
    std::set<std::string> common;
    for (int run = 0; run < 2; ++run) {
      federation.new_run();
      federation.start_all();
      federation.expect_all_finish();
      const std::set<std::string> hashes = hashes_of_shares(federation);
      EXPECT_GE(hashes.size(), 4u * FederationProcesses::sites().size());
      std::set_intersection(first.begin(), first.end(), hashes.begin(), hashes.end(),
                            std::inserter(common, common.end()));
      if (run == 0) first = hashes;
    }
    EXPECT_EQ(common, secure ? std::set<std::string>{} : first);
  }
}

// The summary and the printed table agree with the ledger and with the bytes that the coordinator
// has received.
TEST(Federation, ReportsAllSentMessages) {
  for (const bool publishes : {false, true}) {
    FederationPlan p = plan({});
    if (publishes) p.site_arguments = {"--publish"};
    FederationProcesses federation(p);
    federation.start_all();
    federation.expect_all_finish();
    std::map<std::string, nlohmann::json> received;
    const auto summary = federation.json(kCoordinator, "summary.json");
    for (const auto& site : summary.at("sites")) {
      received[site.at("name")] = site;
    }
    EXPECT_EQ(received.size(), FederationProcesses::sites().size());
    for (const std::string& site : FederationProcesses::sites()) {
      std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> kinds;
      std::uint64_t messages = 0;
      std::uint64_t bytes = 0;
      for (const auto& line : federation.ledger(site)) {
        auto& [count, sum] = kinds[line.at("kind").get<std::string>()];
        count += 1;
        sum += line.at("bytes").get<std::uint64_t>();
        messages += 1;
        bytes += line.at("bytes").get<std::uint64_t>();
      }
      EXPECT_EQ(kinds.contains("image"), publishes);
      for (const auto& [kind, sums] : kinds) {
        char line[80];
        std::snprintf(line, sizeof(line), "  %-16s %9lu %12lu\n", kind.c_str(), sums.first,
                      sums.second);
        EXPECT_CONTAINS(federation.log(site), line);
      }
      const auto told = federation.json(site, "summary.json").at("federation");
      EXPECT_EQ(told.at("messages"), messages) << site;
      EXPECT_EQ(told.at("bytes"), bytes) << site;
      EXPECT_EQ(received[site].at("bytes_up"), bytes) << site;
      EXPECT_GT(received[site].at("bytes_down"), 0) << site;
    }
  }
}

// The XRT site has the image of matter that XRF does not see, and may publish it, too.
TEST(Federation, HasImageOfOtherMatter) {
  FederationPlan p = plan({});
  p.study_line = "other = true";
  p.site_arguments = {"--publish"};
  FederationProcesses federation(p);
  federation.start_all();
  federation.expect_all_finish();
  federation.expect_reference_image("xrt", "other");
  const Block own = read_images(federation.out("xrt") + "/images.h5", "other");
  const Block published =
      read_images(federation.out(kCoordinator) + "/published/other.h5", "other");
  EXPECT_TRUE(std::ranges::equal(own.values(), published.values()));
}

TEST(Federation, RunsFedPgdOnlyWithoutMasks) {
  FederationProcesses masked(plan(kFedPgd));
  ChildProcess coordinator(masked.command(kCoordinator));
  EXPECT_EQ(coordinator.wait(FederationProcesses::kPatience), 2);
  EXPECT_CONTAINS(coordinator.output(), "fedpgd needs every site's image by itself");
  // A site does not rely on that.
  ChildProcess site(masked.command("xrf-1"));
  EXPECT_EQ(site.wait(FederationProcesses::kPatience), 2);
  EXPECT_CONTAINS(site.output(), "fedpgd shows this site's image to the others");

  FederationPlan open = plan(kFedPgd);
  open.coordinator_arguments = {"--insecure"};
  open.site_arguments = {"--insecure"};
  FederationProcesses federation(open);
  federation.start_all();
  federation.expect_all_finish();
}

TEST(Federation, SitesRefuseRunWithoutMasks) {
  FederationPlan open = plan({});
  open.coordinator_arguments = {"--insecure"};
  FederationProcesses federation(open);
  federation.start_all();
  for (const std::string& site : FederationProcesses::sites()) {
    EXPECT_EQ(federation.process(site).wait(FederationProcesses::kPatience), 4);
    EXPECT_CONTAINS(federation.log(site), "expected secure aggregation");
    EXPECT_EQ(federation.sent(site, "share"), 0);
  }
}

TEST(Federation, RefusesKeyThatStudyDoesNotName) {
  FederationProcesses federation(plan({}));
  change_study(federation, "name = \"xrf-2\"",
               "name = \"xrf-2\"\nkey = \"" + std::string(64, 'a') + "\"");
  federation.start_all();
  // The coordinator refuses this site alone; the others wait for the one with the right key.
  EXPECT_EQ(federation.process("xrf-2").wait(FederationProcesses::kPatience), 4);
  EXPECT_CONTAINS(federation.log("xrf-2"), "expected the key that the study names, aaaa");
  for (const std::string site : {"xrf-1", "xrf-3", "xrt"}) {
    EXPECT_TRUE(
        federation.process(site).prints("waiting for xrf-2\n", FederationProcesses::kPatience))
        << federation.log(site);
    EXPECT_EQ(federation.sent(site, "share"), 0);
  }
}

TEST(Federation, ShowsDifferencesOfStudies) {
  FederationProcesses federation(plan({}));
  federation.start(kCoordinator);
  federation.start("xrt", {"stop.rounds=3", "ds.local_steps=4"});
  EXPECT_EQ(federation.process("xrt").wait(FederationProcesses::kPatience), 4);
  EXPECT_CONTAINS(federation.log("xrt"), "option stop.rounds: expected 0, found 3");
  EXPECT_CONTAINS(federation.log("xrt"), "option ds.local_steps: expected 0, found 4");
}

// Each of two sites can compute the other's share: both must agree to that.
TEST(Federation, NeedsPermissionForTwoSites) {
  FederationProcesses federation(plan(kFirm));
  std::string text = file_content(federation.study());
  for (const std::string site : {"xrf-2", "xrf-3"}) {
    const std::size_t begin = text.rfind("[[site]]", text.find("name = \"" + site + "\""));
    text.erase(begin, text.find("[[site]]", begin + 1) - begin);
  }
  write_text_file(federation.study(), text);
  ChildProcess refused(federation.command(kCoordinator));
  EXPECT_EQ(refused.wait(FederationProcesses::kPatience), 2);
  EXPECT_CONTAINS(refused.output(), "--allow-two");

  std::vector<std::string> coordinator = federation.command(kCoordinator);
  coordinator.emplace_back("--allow-two");
  federation.start_with(kCoordinator, coordinator);
  std::vector<std::string> allowing = federation.command("xrt");
  allowing.emplace_back("--allow-two");
  federation.start_with("xrt", allowing);
  federation.start("xrf-1");
  EXPECT_EQ(federation.process("xrf-1").wait(FederationProcesses::kPatience), 2);
  EXPECT_CONTAINS(federation.log("xrf-1"), "of two each knows the other's share");
  std::vector<std::string> also = federation.command("xrf-1");
  also.emplace_back("--allow-two");
  federation.start_with("xrf-1", also);
  for (const std::string name : {"xrf-1", "xrt"}) {
    EXPECT_EQ(federation.process(name).wait(FederationProcesses::kPatience), 5) << name;
    EXPECT_CONTAINS(federation.log(name), "stopped after 30 rounds");
  }
}

}  // namespace
}  // namespace firm
