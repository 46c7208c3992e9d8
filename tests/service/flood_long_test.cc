// Attacks that a coordinator survives, at full size. Each takes a minute or so.
#include <fmt/format.h>

#include "service/flood.h"

namespace firm {
namespace {

TEST(LargeFlood, EndsWithSameBytes) {
  FederationPlan plan;
  plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=600"};
  plan.delay = 5;
  FederationProcesses federation(plan);
  expect_run_survives(federation, {.idle = 5000, .half_open = 2000});
}

using LargeFloodOfStreams = Besieged;

TEST_F(LargeFloodOfStreams, TakesFewThreads) { expect_few_threads(1500); }

TEST_F(LargeFloodOfStreams, FailuresDoNotFillTheLog) {
  auto channel = dial("xrf-1");
  v1::SiteMessage failure;
  failure.mutable_failure()->set_message(std::string(1'000'000, 'f'));
  for (int k = 0; k < 5000; ++k) channel->send(failure);
  channel.reset();
  fmt::print("5000 failures of 1 MB: log of {} bytes, {} kB\n", coordinator_->output().size(),
             process_status(coordinator_->id(), "VmHWM"));
  EXPECT_LT(coordinator_->output().size(), 100'000u);
  expect_run();
}

}  // namespace
}  // namespace firm
