// A federation with many slices: all sites receive the level of XRT in each of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/files/image_file.h"
#include "service/federation_processes.h"

namespace firm {
namespace {

constexpr const char* kCoordinator = FederationProcesses::kCoordinator;

// With a checkpoint in every round, a killed site, and published images.
TEST(ManySlices, GiveImagesOfOneProcess) {
  FederationPlan plan;
  plan.size = 16;
  plan.slices = 70;
  plan.settings = {"ds.local_steps=1", "stop.discrepancy=0.02"};  // many rounds
  plan.checkpoint_seconds = 0;
  plan.site_arguments = {"--publish"};
  FederationProcesses federation(plan);
  EXPECT_EQ(federation.reference().at("termination").at("reason"), "discrepancy");
  const int sums = federation.reference().at("exchanges").get<int>();
  federation.start_all();
  for (const std::string& site : FederationProcesses::sites()) federation.proxy(site).delay(10);
  EXPECT_TRUE(wait_until(FederationProcesses::kPatience, [&] {
    return federation.place("xrf-2") >= FederationProcesses::Place{1, sums / 2};
  })) << federation.everything_printed();
  federation.kill("xrf-1");
  federation.start("xrf-1");
  federation.expect_all_finish();
  ASSERT_EQ(federation.beginnings().size(), 2u);
  EXPECT_GT(federation.beginnings().back(), 0) << "checkpoints were to be used";
  EXPECT_EQ(federation.json("xrf-1", "summary.json").at("rounds"),
            federation.reference().at("rounds"));
  const Block own = read_images(federation.out("xrt") + "/images.h5", "xrt");
  EXPECT_EQ(own.columns(), 70u);
  const Block published = read_images(federation.out(kCoordinator) + "/published/xrt.h5", "xrt");
  EXPECT_TRUE(std::ranges::equal(own.values(), published.values()));
}

// Methods that sum images over sites.
TEST(ManySlices, WorkWithOtherMethods) {
  for (const std::string method : {"firm", "fedpgd"}) {
    FederationPlan plan;
    plan.size = 8;
    plan.slices = 70;
    plan.settings = {"method=" + method, "stop.rounds=3", "stop.discrepancy=0.001"};
    plan.coordinator_arguments = plan.site_arguments = {"--insecure"};
    FederationProcesses federation(plan);
    federation.start_all();
    federation.expect_all_finish();
  }
}

}  // namespace
}  // namespace firm
