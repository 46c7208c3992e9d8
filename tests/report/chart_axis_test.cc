// Tests of the parts of a chart: ticks, ranges and thinned lines.
#include "report/charts/chart_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/charts/chart.h"
#include "report/charts/chart_legend.h"
#include "report/charts/chart_line.h"
#include "report/picture.h"

namespace firm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> labels_of(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks) {
    if (!tick.label.empty()) labels.push_back(tick.label);
  }
  return labels;
}

std::vector<double> values_of(const std::vector<Tick>& ticks) {
  std::vector<double> values;
  for (const Tick& tick : ticks) values.push_back(tick.value);
  return values;
}

using Labels = std::vector<std::string>;
using Values = std::vector<double>;

TEST(LinearTicks, AreRoundNumbers) {
  EXPECT_EQ(values_of(linear_ticks({0, 10}, 6)), (Values{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(values_of(linear_ticks({0.1, 0.31}, 5)), (Values{0.1, 0.15, 0.2, 0.25, 0.3}));
  EXPECT_EQ(values_of(linear_ticks({-7, 12}, 5)), (Values{-5, 0, 5, 10}));
  EXPECT_EQ(labels_of(linear_ticks({-7, 12}, 5)), (Labels{"\u22125", "0", "5", "10"}));
  EXPECT_EQ(labels_of(linear_ticks({-0.05, 0.11}, 4)),
            (Labels{"\u22120.05", "0.00", "0.05", "0.10"}));
}

TEST(LinearTicks, SharePowerOfTenForLargeAndSmallNumbers) {
  EXPECT_EQ(labels_of(linear_ticks({0, 1.1e6}, 4)),
            (Labels{"0", "0.5\u00d710^{6}", "1.0\u00d710^{6}"}));
  EXPECT_EQ(labels_of(linear_ticks({-2e-7, 1e-7}, 4)),
            (Labels{"\u22122\u00d710^{\u22127}", "\u22121\u00d710^{\u22127}", "0",
                    "1\u00d710^{\u22127}"}));
  EXPECT_EQ(labels_of(linear_ticks({1000000, 1000004}, 3)),
            (Labels{"1000000", "1000002", "1000004"}));
}

// Checks that hold for the ticks of any axis.
void expect_in_order(const std::vector<Tick>& ticks, ValueRange range, int most) {
  const int count = static_cast<int>(labels_of(ticks).size());
  EXPECT_LE(count, most) << range.low << " to " << range.high;
  EXPECT_GE(count, std::min(2, most / 3)) << range.low << " to " << range.high;
  const double rounding = 1e-6 * (range.high - range.low);
  for (std::size_t k = 0; k < ticks.size(); ++k) {
    EXPECT_GE(ticks[k].value, range.low - rounding);
    EXPECT_LE(ticks[k].value, range.high + rounding);
    EXPECT_TRUE(k == 0 || ticks[k].value > ticks[k - 1].value);
  }
}

TEST(Ticks, StayInRangeAndBelowLimit) {
  for (const int most : {2, 3, 6, 9}) {
    for (double width = 1e-12; width < 1e12; width *= 1.7) {
      for (const double low : {0.0, 0.3 * width, -0.77 * width, 1e4 * width, -1e4 * width}) {
        const ValueRange range{low, low + width};
        expect_in_order(linear_ticks(range, most), range, most);
      }
    }
    for (double decades = 0.01; decades < 400; decades *= 1.3) {
      for (const double low : {1e-200, 3.3e-5, 1.0, 7.0, 1e5}) {
        const ValueRange range{low, low * std::pow(10, std::min(decades, 240.0))};
        expect_in_order(log_ticks(range, most), range, most);
      }
    }
  }
}

TEST(LogTicks, LabelPowersOfTen) {
  const std::vector<Tick> ticks = log_ticks({1e-3, 20}, 8);
  EXPECT_EQ(labels_of(ticks),
            (Labels{"10^{\u22123}", "10^{\u22122}", "10^{\u22121}", "10^{0}", "10^{1}"}));
  EXPECT_EQ(ticks.size(), 4 * 9 + 2);
  EXPECT_DOUBLE_EQ(ticks[4].value, 5e-3);
}

TEST(LogTicks, LabelOtherDigitsIfPowersAreFew) {
  EXPECT_EQ(labels_of(log_ticks({1, 10}, 8)), (Labels{"1", "2", "5", "10"}));
  EXPECT_EQ(labels_of(log_ticks({0.015, 0.3}, 8)), (Labels{"0.02", "0.05", "0.1", "0.2"}));
  EXPECT_EQ(labels_of(log_ticks({1.5e-4, 2.5e-3}, 8)),
            (Labels{"2\u00d710^{\u22124}", "5\u00d710^{\u22124}", "10^{\u22123}",
                    "2\u00d710^{\u22123}"}));
  EXPECT_EQ(labels_of(log_ticks({1.1, 45}, 8)), (Labels{"2", "5", "10", "20"}));
  EXPECT_EQ(labels_of(log_ticks({31, 49}, 5)), (Labels{"35", "40", "45"}));
}

TEST(LogTicks, SkipPowersIfThereAreMany) {
  EXPECT_EQ(labels_of(log_ticks({1e-7, 1e2}, 6)),
            (Labels{"10^{\u22126}", "10^{\u22124}", "10^{\u22122}", "10^{0}", "10^{2}"}));
}

TEST(ShownRange, AddsMarginToValues) {
  const ValueRange linear = shown_range({}, Values{0, NAN, 10, kInfinity, 3});
  EXPECT_NEAR(linear.low, -0.4, 1e-9);
  EXPECT_NEAR(linear.high, 10.4, 1e-9);
  const ValueRange log = shown_range({.log = true}, Values{-5, 0, 1, 100});
  EXPECT_NEAR(std::log10(log.low), -0.08, 1e-9);
  EXPECT_NEAR(std::log10(log.high), 2.08, 1e-9);
}

TEST(ShownRange, PrefersRangeOfAxisUnlessEmpty) {
  Axis axis{.range = ValueRange{2, 3}};
  EXPECT_EQ(shown_range(axis, Values{0, 9}).low, 2);
  axis.range = ValueRange{3, 2};
  EXPECT_LT(shown_range(axis, Values{0, 9}).low, 0);
  axis.range = ValueRange{0, 3};
  axis.log = true;
  EXPECT_GT(shown_range(axis, Values{1, 9}).low, 0.5);
}

TEST(ShownRange, IsNeverEmpty) {
  for (const bool log : {false, true}) {
    for (const Values& values :
         std::vector<Values>{{}, {NAN}, {5, 5}, {0}, {1e-300}, {1, 1 + 1e-15}}) {
      const ValueRange range = shown_range({.log = log}, values);
      EXPECT_GT(range.high, range.low * (1 + 1e-3));
      for (const double v : values) {
        EXPECT_TRUE(!drawable(v, log) || (range.low < v && v < range.high));
      }
    }
  }
}

TEST(Thinned, KeepsExtremesOfEveryColumn) {
  Polyline line;
  for (int k = 0; k < 10000; ++k) line.push_back({k * 0.01, 50 + 40 * std::sin(0.37 * k * k)});
  const Polyline thin = thinned(line, 0, 100);
  EXPECT_LE(thin.size(), 4u * 200);
  EXPECT_EQ(thin.front(), line.front());
  EXPECT_EQ(thin.back(), line.back());
  const auto extremes = [](const Polyline& points, int column) {
    ValueRange range{1e9, -1e9};
    for (const Point& p : points) {
      if (std::floor(2 * p.x) != column) continue;
      range = {std::min(range.low, p.y), std::max(range.high, p.y)};
    }
    return std::pair{range.low, range.high};
  };
  for (int column = 0; column < 200; ++column) {
    EXPECT_EQ(extremes(thin, column), extremes(line, column)) << column;
  }
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end(),
                             [](const Point& a, const Point& b) { return a.x < b.x; }));
}

TEST(Thinned, KeepsFewPointsUnchanged) {
  const Polyline line = {{0, 1}, {10, 5}, {3, 2}, {3, 9}, {200, 7}};
  EXPECT_EQ(thinned(line, 0, 300), line);
}

TEST(Thinned, MergesPointsOutsideOfFrame) {
  Polyline line;
  for (int k = 0; k < 1000; ++k) line.push_back({-5000.0 + 5 * k, k % 7 * 1.0});
  line.push_back({10, 3});
  const Polyline thin = thinned(line, 0, 100);
  EXPECT_LE(thin.size(), 6u);
  EXPECT_EQ(thin[thin.size() - 2], line[line.size() - 2]);
}

}  // namespace
}  // namespace firm
