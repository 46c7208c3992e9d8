// Sites of a coordinator that cheats end with exit code 4, and without images.
#include "service/cheating_coordinator.h"

#include <gtest/gtest.h>

#include "service/federation_processes.h"
#include "support/certificates.h"

namespace firm {
namespace {

constexpr std::uint64_t kWrongSum = 2;

class CheatedSites : public ::testing::Test {
 protected:
  // Starts a run through a coordinator that lies, and expects that every site ends because of it.
  void expect_caught(const std::string& what, const CheatingCoordinator::Lies& lies) {
    SCOPED_TRACE(what);
    federation_.new_run();
    federation_.start(FederationProcesses::kCoordinator);
    std::map<std::string, TlsIdentity> identities;
    for (const std::string& site : federation_.members()) {
      identities[site] =
          identity_of(load_site_credentials(federation_.pki(site), site, current_instant()));
    }
    const CheatingCoordinator cheat(
        identity_of(load_coordinator_credentials(federation_.pki(FederationProcesses::kCoordinator),
                                                 current_instant())),
        identities, federation_.coordinator_port(), lies);
    for (const std::string& site : federation_.members()) {
      federation_.proxy(site).forward_to(cheat.port());
      federation_.start(site);
    }
    for (const std::string& site : federation_.members()) {
      EXPECT_EQ(federation_.process(site).wait(FederationProcesses::kPatience), 4) << site;
      EXPECT_CONTAINS(federation_.log(site), "the coordinator's sum is wrong");
      EXPECT_FALSE(std::filesystem::exists(federation_.out(site) + "/recon")) << site;
      EXPECT_FALSE(std::filesystem::exists(federation_.out(site) + "/images.h5")) << site;
    }
    federation_.kill(FederationProcesses::kCoordinator);
  }

  static FederationPlan small_plan() {
    FederationPlan plan;
    plan.size = 16;
    plan.angles = 6;
    return plan;
  }

  FederationProcesses federation_{small_plan()};
};

TEST_F(CheatedSites, EndWithoutImages) {
  const auto is_total = [](const v1::CoordinatorMessage& m) {
    return m.has_total() && m.total().position().exchange() == kWrongSum &&
           !m.total().words().empty();
  };
  expect_caught("adds 1 to a word, for xrf-2 alone",
                {.to_site = [&](const std::string& site, v1::CoordinatorMessage& m) {
                  if (site == "xrf-2" && is_total(m))
                    m.mutable_total()->mutable_words()->at(0) ^= 1;
                }});
  expect_caught("drops the words of xrf-2",
                {.of_site = [](const std::string& site, v1::SiteMessage& m) {
                  if (site != "xrf-2" || !m.has_share()) return;
                  if (m.share().position().exchange() < kWrongSum) return;
                  m.mutable_share()->set_words(std::string(m.share().words().size(), '\0'));
                }});
  expect_caught("a coarse scale", {.to_site = [](const std::string&, v1::CoordinatorMessage& m) {
                  if (!m.has_scale()) return;
                  m.mutable_scale()->set_fraction_bits(m.scale().fraction_bits() - 10);
                }});
}

}  // namespace
}  // namespace firm
