// Terms and noise that sites send each other.
#include "federation/protocol/terms.h"

#include <gtest/gtest.h>

#include <limits>

#include "federation/local_federation.h"
#include "firm/version.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

StudyFile two_sites() {
  StudyFile file;
  file.name = "two";
  file.rows = file.columns = 4;
  file.slices = 1;
  file.pixel_size = 1;
  file.sites.resize(2);
  file.sites[0].name = "fe";
  file.sites[0].kind = "xrf";
  file.sites[0].coefficient = 2;
  file.sites[0].noise = Noise::kEstimated;
  file.sites[1].name = "xrt";
  file.sites[1].kind = "xrt";
  file.sites[1].sigma = 0.25;
  return file;
}

Site site_of(double sigma, bool weighted) {
  Site site;
  site.geometry = paper_geometry(4, 3, 1);
  site.sigma = sigma;
  site.weighted_values = weighted;
  return site;
}

v1::Begin begin_with(const Site& fe, const Site& xrt) {
  v1::Begin begin;
  for (const auto& [name, site] : {std::pair{"fe", &fe}, std::pair{"xrt", &xrt}}) {
    v1::Member& member = *begin.add_members();
    member.set_site(name);
    *member.mutable_geometry() = to_message(site->geometry);
    *member.mutable_noise() = noise_message(*site);
  }
  return begin;
}

std::string sigma_term(const StudyFile& file) {
  for (const v1::Term& term : terms_of(file, {})) {
    if (term.field() == "site fe, sigma") return term.value();
  }
  return "none";
}

TEST(Terms, NameSourceOfNoise) {
  StudyFile file = two_sites();
  EXPECT_EQ(sigma_term(file), "estimate");
  file.sites[0].noise = Noise::kCounts;
  EXPECT_EQ(sigma_term(file), "counts");
  file.sites[0].noise = Noise::kGiven;
  file.sites[0].sigma = 0.5;
  EXPECT_EQ(sigma_term(file), "0.5");
}

TEST(Terms, NoiseReachesAllSites) {
  const Study study =
      study_with(two_sites(), begin_with(site_of(0.125, true), site_of(0.25, false)));
  EXPECT_EQ(study.sites[0].sigma, 0.125);
  EXPECT_TRUE(study.sites[0].weighted_values);
  EXPECT_EQ(study.sites[1].sigma, 0.25);
  EXPECT_FALSE(study.sites[1].weighted_values);
  EXPECT_DOUBLE_EQ(study.weight(0), 64);
}

TEST(Terms, RefuseInvalidNoise) {
  for (const double sigma : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    const v1::Begin begin = begin_with(site_of(sigma, false), site_of(0.25, false));
    EXPECT_CONTAINS(error_of([&] { study_with(two_sites(), begin); }),
                    "noise of fe: expected a finite sigma above 0");
  }
  // A site cannot change a sigma that the study gives.
  const v1::Begin begin = begin_with(site_of(1, false), site_of(0.5, false));
  EXPECT_CONTAINS(error_of([&] { study_with(two_sites(), begin); }),
                  "noise of xrt: expected sigma 0.25 as in the study, found 0.5");
  // A site of an older version sends none.
  v1::Begin without = begin_with(site_of(1, false), site_of(0.25, false));
  without.mutable_members(0)->clear_noise();
  EXPECT_CONTAINS(error_of([&] { study_with(two_sites(), without); }), "found 0");
}

TEST(Terms, SignaturesCoverNoise) {
  const Site xrt = site_of(0.25, false);
  const std::string hash = study_hash({}, begin_with(site_of(1, false), xrt));
  EXPECT_EQ(hash, study_hash({}, begin_with(site_of(1, false), xrt)));
  EXPECT_NE(hash, study_hash({}, begin_with(site_of(1.5, false), xrt)));
  EXPECT_NE(hash, study_hash({}, begin_with(site_of(1, true), xrt)));
}

TEST(Terms, CoordinatorForwardsNoise) {
  CoordinatorOptions options;
  options.terms = terms_of(two_sites(), {});
  options.sites = {"fe", "xrt"};
  options.secure = false;
  Coordinator coordinator(options, {}, {});
  LocalChannel fe(coordinator, "fe");
  LocalChannel xrt(coordinator, "xrt");
  const auto greet = [&](LocalChannel& channel, const std::string& name, const Site& site) {
    v1::SiteMessage message;
    v1::Hello& hello = *message.mutable_hello();
    hello.set_protocol(kProtocol);
    hello.set_software(kVersion);
    hello.set_site(name);
    for (const v1::Term& term : options.terms) *hello.add_terms() = term;
    *hello.mutable_geometry() = to_message(site.geometry);
    *hello.mutable_noise() = noise_message(site);
    channel.send(message);
  };
  greet(fe, "fe", site_of(0.125, true));
  greet(xrt, "xrt", site_of(0.25, false));
  v1::CoordinatorMessage message = xrt.receive();
  while (!message.has_begin()) message = xrt.receive();
  const Study study = study_with(two_sites(), message.begin());
  EXPECT_EQ(study.sites[0].sigma, 0.125);
  EXPECT_TRUE(study.sites[0].weighted_values);
}

}  // namespace
}  // namespace firm
