// Attacks that a coordinator survives, small ones; flood_long_test.cc has the large ones.
#include "service/flood.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "federation/protocol/admission.h"
#include "federation/protocol/coordinator.h"
#include "federation/protocol/terms.h"
#include "federation/transport/grpc_server.h"
#include "firm/version.h"
#include "run/study_inputs.h"

namespace firm {
namespace {

TEST(FloodedRun, EndsWithSameBytes) {
  FederationPlan plan;
  plan.settings = {"method=firm", "stop.discrepancy=0", "stop.rounds=300"};
  plan.delay = 5;
  FederationProcesses federation(plan);
  expect_run_survives(federation, {.idle = 1500, .half_open = 400});
}

using FloodOfStreams = Besieged;

TEST_F(FloodOfStreams, TakesFewThreads) { expect_few_threads(120); }

// One stream on a connection is a limit that a peer has to obey only once it has read it.
TEST_F(FloodOfStreams, OnOneConnectionEndsIt) { expect_unread_streams_end("xrf-1", 1, 300); }

// A certificate of the same authority, but of no site of the study.
TEST_F(FloodOfStreams, OfStrangerEnds) {
  certificates_.enrol("stranger");
  expect_unread_streams_end("stranger", 30, 1);
}

TEST_F(FloodOfStreams, OfHeadersEnds) { expect_unread_streams_end("xrf-1", 5, 0); }

// ---- one bad Hello -----------------------------------------------------------------------------

class BadHello : public Besieged {
 protected:
  // The Hello of a site of this study, with a sigma and angles that are no numbers.
  v1::SiteMessage bad_hello(const std::string& site, bool sigma) const {
    const StudyFile file = read_study(directory_ / "study/study.toml");
    v1::SiteMessage message;
    v1::Hello& hello = *message.mutable_hello();
    hello.set_protocol(kProtocol);
    hello.set_software(kVersion);
    hello.set_site(site);
    for (const v1::Term& term : terms()) *hello.add_terms() = term;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    hello.mutable_geometry()->add_angles(sigma ? 0 : nan);
    hello.mutable_geometry()->set_beamlets(4);
    hello.mutable_geometry()->set_spacing(file.pixel_size);
    hello.mutable_noise()->set_sigma(sigma ? nan : given_sigma(file, site));
    return message;
  }
  std::vector<v1::Term> terms() const {
    const std::string study = directory_ / "study/study.toml";
    const StudyFile file = read_study(study);
    return terms_of(file, federation_options_of(file, study, {}));
  }
  static double given_sigma(const StudyFile& file, const std::string& site) {
    const auto entry = std::ranges::find(file.sites, site, &SiteEntry::name);
    return entry->noise == Noise::kGiven ? entry->sigma_value() : 1;
  }
};

TEST_F(BadHello, IsRefusedAloneAndTheOthersWait) {
  std::map<std::string, std::unique_ptr<ChildProcess>> others;
  for (const char* name : {"xrf-2", "xrf-3", "xrt"}) others[name] = start_site(name);
  for (const auto& [name, site] : others) {
    ASSERT_TRUE(site->prints("waiting for xrf-1", kPatience)) << site->output();
  }
  for (const bool sigma : {true, false}) {
    const auto channel = dial("xrf-1");
    channel->send(bad_hello("xrf-1", sigma));
    v1::CoordinatorMessage answer = channel->receive();
    while (answer.has_waiting()) answer = channel->receive();
    EXPECT_CONTAINS(answer.refusal().message(),
                    sigma ? "noise of xrf-1: expected " : "geometry of xrf-1: expected angles[0]");
  }
  EXPECT_TRUE(coordinator_->prints("xrf-1: refused: geometry of xrf-1", kPatience));
  for (const auto& [name, site] : others) EXPECT_TRUE(site->running()) << site->output();
  expect_run(std::move(others));
}

// A coordinator that checks nothing, as an older one: sites do not end, but wait for a better
// attempt.
TEST_F(BadHello, MakesSitesWaitWhenCoordinatorPassesItOn) {
  coordinator_->send(SIGTERM);
  coordinator_->wait(kPatience);
  const StudyFile file = read_study(directory_ / "study/study.toml");
  CoordinatorOptions options;
  options.terms = terms();
  options.sites = sites_;
  options.most_words = most_pixels(file);
  options.rays_of = "xrt";
  options.slices = 1;
  options.image_values = static_cast<std::uint64_t>(file.rows) * file.columns;
  Coordinator credulous(options, {}, {});
  GrpcServer server(credulous, "127.0.0.1:0", identity_of(certificates_.coordinator()),
                    admission_by(certificates_.authority(), certificates_.coordinator().ca_pem));
  address_ = fmt::format("127.0.0.1:{}", server.port());
  std::map<std::string, std::unique_ptr<ChildProcess>> sites;
  for (const char* name : {"xrf-2", "xrf-3", "xrt"}) sites[name] = start_site(name);
  auto channel = dial("xrf-1");
  channel->send(bad_hello("xrf-1", true));
  for (const auto& [name, site] : sites) {
    EXPECT_TRUE(site->prints("cannot take part in this attempt: noise of xrf-1", kPatience))
        << site->output();
  }
  channel.reset();
  sites["xrf-1"] = start_site("xrf-1");
  for (const auto& [name, site] : sites) EXPECT_EQ(site->wait(kPatience), 0) << site->output();
}

}  // namespace
}  // namespace firm
