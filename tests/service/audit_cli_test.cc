// firm audit, of the ledgers of a real federation.
#include <gtest/gtest.h>

#include "service/federation_processes.h"

namespace firm {
namespace {

FederationPlan plan() {
  FederationPlan p;
  p.size = 16;
  p.angles = 6;
  p.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=30"};
  p.site_arguments = {"--keep-shares"};
  return p;
}

// The run has two attempts: a site is killed in the first one.
TEST(AuditCli, ComparesLedgersAndOpenedSharesOfRun) {
  FederationProcesses federation(plan());
  TcpProxy& proxy = federation.proxy("xrf-2");
  proxy.stall_after(TcpProxy::kUp, 20'000);  // within a sum
  federation.start_all();
  ASSERT_TRUE(wait_until(FederationProcesses::kPatience, [&] { return proxy.stalled(); }));
  federation.kill("xrf-2");
  proxy.cut();
  proxy.resume();
  federation.start("xrf-2");
  federation.expect_all_finish();
  std::vector<std::string> command = {FIRM_PROGRAM, "audit"};
  for (const std::string& site : federation.members()) command.push_back(federation.out(site));

  ChildProcess honest(command);
  EXPECT_EQ(honest.wait(FederationProcesses::kPatience), 0) << honest.output();
  EXPECT_CONTAINS(honest.output(), "xrf-2: 2 attempts,");
  EXPECT_CONTAINS(honest.output(), "Nothing is wrong.");

  // A share that is not the one that xrf-2 has committed to.
  const std::filesystem::path shares = federation.out("xrf-2") + "/shares";
  const std::string file = std::filesystem::directory_iterator(shares)->path();
  std::string text = file_content(file);
  text.back() ^= 1;
  std::ofstream(file) << text;
  ChildProcess cheated(command);
  EXPECT_EQ(cheated.wait(FederationProcesses::kPatience), 3) << cheated.output();
  EXPECT_CONTAINS(cheated.output(), "the share of xrf-2 does not match its commitment");

  ChildProcess none({FIRM_PROGRAM, "audit", "nowhere"});
  EXPECT_EQ(none.wait(FederationProcesses::kPatience), 3) << none.output();
  EXPECT_CONTAINS(none.output(), "nowhere: expected a ledger that can be read, found none");
}

}  // namespace
}  // namespace firm
