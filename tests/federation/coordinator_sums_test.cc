// Sums of several sites through a coordinator, without a network and without masks.
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "federation/coordinator_fixture.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/remote_exchange.h"
#include "sim/noise.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

class Sums : public CoordinatorTest {
 protected:
  // Calls work(collective, i) at every site, each on its own thread.
  template <typename Work>
  void at_every_site(const Work& work) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kSites.size(); ++i) {
      threads.emplace_back([&, i] {
        Ledger ledger(directory_ / ("ledger" + kSites[i]));
        RemoteExchange exchange({channels_[i].get(), &ledger, kSites[i], 1, kSites.size(), {}});
        FixedPointCollective collective(exchange);
        work(collective, i);
      });
    }
  }

  TemporaryDirectory directory_;
};

TEST_F(Sums, AreEqualAtEverySite) {
  begin();
  constexpr std::size_t kLength = 3 * kChunkWords / 2;
  std::vector<std::vector<float>> shares(3, std::vector<float>(kLength));
  std::vector<double> expected(kLength, 0.0);
  Random random(1, 0);
  for (auto& share_of_site : shares) {
    for (std::size_t k = 0; k < kLength; ++k) {
      share_of_site[k] = static_cast<float>(random.normal());
      expected[k] += static_cast<double>(share_of_site[k]);
    }
  }
  std::vector<std::vector<float>> sums = shares;
  at_every_site([&](FixedPointCollective& collective, std::size_t i) {
    double scalars[2] = {1e-20 * static_cast<double>(i + 1), static_cast<double>(i)};
    collective.sum(sums[i], scalars);
    EXPECT_EQ(scalars[1], 3);
    EXPECT_NEAR(scalars[0], 6e-20, 1e-34);
    collective.sum({}, scalars);
    EXPECT_EQ(scalars[1], 9);
  });
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
  for (std::size_t k = 0; k < kLength; k += 97) {
    EXPECT_NEAR(static_cast<double>(sums[0][k]), expected[k], 1e-6);
  }
}

TEST_F(Sums, ChangeScaleWhenValuesGrowOrShrink) {
  begin();
  at_every_site([&](FixedPointCollective& collective, std::size_t i) {
    for (const float size : {1.0f, 1e-3f, 1e4f, 1e9f, 1e-9f, 1.0f}) {
      std::vector<float> values(10);
      // The first sum of smaller values still uses the coarser scale.
      for (int k = 0; k < 2; ++k) {
        std::fill(values.begin(), values.end(), i == 1 ? size : -size / 1024);
        collective.sum(values, {});
      }
      EXPECT_NEAR(static_cast<double>(values[3] / size), 1 - 2.0 / 1024, 1e-6) << size;
    }
  });
}

TEST_F(Sums, RefuseValuesThatAreNotFinite) {
  begin();
  at_every_site([&](FixedPointCollective& collective, std::size_t i) {
    std::vector<float> values(10, 1.0f);
    if (i == 1) {
      values[4] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_THROW(collective.sum(values, {}), Error);
      channels_[i]->disconnect();
    } else {
      EXPECT_THROW(collective.sum(values, {}), AttemptAbandoned);
    }
  });
}

TEST_F(Sums, WriteLedgerLineForEveryMessage) {
  begin();
  at_every_site([&](FixedPointCollective& collective, std::size_t) {
    std::vector<float> values(10, 1.0f);
    collective.sum(values, {});
  });
  const std::string lines = file_content(directory_ / "ledgera");
  EXPECT_CONTAINS(lines, "\"kind\":\"range\"");
  EXPECT_CONTAINS(lines, "\"kind\":\"share\"");
  EXPECT_CONTAINS(lines, "\"received\":\"total\"");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3);
}

}  // namespace
}  // namespace firm
