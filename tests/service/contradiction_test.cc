// A site with wrong data: every other site sees that the joint image misses its own data, which it
// fits alone, and says so.
#include "service/federation_processes.h"

namespace firm {
namespace {

FederationPlan known_noise() {
  FederationPlan plan;
  plan.angles = 16;
  plan.simulate = {"--preset", "smooth", "--noise", "0.02"};
  plan.settings = {"stop.discrepancy=0", "stop.kkt=1e-3"};  // sooner than at the noise
  plan.site_line = "sigma = \"estimate\"";
  plan.site_arguments = {"--strict"};
  return plan;
}

TEST(Contradiction, IsSeenByEverySite) {
  FederationPlan plan = known_noise();
  // The data of another site, and ten times the attenuation.
  plan.fifth_site =
      "[[site]]\nname = \"xrf-4\"\nkind = \"xrf\"\ndata = \"xrf-2.h5\"\ncoefficient = 6\n"
      "spacing = \"1 um\"\nrotation_axis = 17\nsigma = \"estimate\"\n\n";
  FederationProcesses federation(plan);
  federation.start_all();
  for (const std::string& site : federation.members()) {
    EXPECT_EQ(federation.process(site).wait(FederationProcesses::kPatience), 5)
        << federation.everything_printed();
    const auto summary = federation.json(site, "summary.json");
    const auto own = summary.at("sites").at(0);
    EXPECT_EQ(own.value("contradicted", false), true) << own.dump();
    EXPECT_LT(own.at("fit_alone"), 1.1);
    EXPECT_EQ(summary.at("fits"), false);
    EXPECT_EQ(summary.at("warnings").size(), 1u) << summary.at("warnings").dump(1);
    EXPECT_CONTAINS(federation.log(site), "of its squared misfit comes from the other sites");
    EXPECT_CONTAINS(federation.log(site), "firm audit shows whether a site has sent what it says");
    EXPECT_CONTAINS(federation.log(site), "The data is NOT fitted");
  }
  federation.expect_reference_images();
  EXPECT_EQ(
      federation.process(FederationProcesses::kCoordinator).wait(FederationProcesses::kPatience),
      0);
}

TEST(Contradiction, IsNotSeenInGoodStudy) {
  FederationProcesses federation(known_noise());
  federation.start_all();
  federation.expect_all_finish();
  for (const std::string& site : federation.members()) {
    const auto summary = federation.json(site, "summary.json");
    EXPECT_FALSE(summary.at("sites").at(0).contains("fit_alone")) << site;
    EXPECT_EQ(summary.at("fits"), true);
    EXPECT_TRUE(summary.at("warnings").empty()) << summary.at("warnings").dump(1);
  }
}

}  // namespace
}  // namespace firm
