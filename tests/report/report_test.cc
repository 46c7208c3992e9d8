// Tests of the parts of report.html: packed values, thinned curves, and the page itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "report/page/packed_values.h"
#include "report/page/page_bundle.h"
#include "report/page/report_page.h"
#include "report/page/thinned_curve.h"

namespace firm {
namespace {

std::vector<unsigned char> unbase64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = word << 6 | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<unsigned char>(word >> bits));
  }
  return bytes;
}

TEST(PackedValues, EncodesStandardBase64) {
  const std::map<std::string, std::string> known = {
      {"", ""},         {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"},  {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
      {"\xff", "/w=="},
  };
  for (const auto& [bytes, text] : known) {
    const std::vector<unsigned char> input(bytes.begin(), bytes.end());
    EXPECT_EQ(base64(input), text);
    EXPECT_EQ(unbase64(text), input);
  }
}

TEST(PackedValues, KeepsEveryBitOfSmallStacks) {
  const Packing packing = choose_packing(6, 2, 1000);
  EXPECT_EQ(packing.bits, 32);
  EXPECT_EQ(packing.reduction, 1u);
  EXPECT_EQ(packing.slices, (std::vector<std::size_t>{0, 1}));
  PackedValues packed(packing, 2, 3);
  const std::vector<float> first = {0, -1.5F, 1e-30F, 3, 4, 5};
  const std::vector<float> second = {7, 8, 9, 1, 2, 0.1F};
  packed.add(0, first);
  packed.add(1, second);
  EXPECT_EQ(packed.low(), -1.5F);
  EXPECT_EQ(packed.high(), 9);
  const std::vector<unsigned char> bytes = unbase64(packed.base64());
  ASSERT_EQ(bytes.size(), 48u);
  for (std::size_t k = 0; k < 12; ++k) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 4; ++j) word |= std::uint32_t{bytes[4 * k + j]} << (8 * j);
    EXPECT_EQ(std::bit_cast<float>(word), k < 6 ? first[k] : second[k - 6]);
  }
}

TEST(PackedValues, RoundsSixteenBitsByAtMostHalfAStep) {
  Packing packing;
  packing.bits = 16;
  packing.slices = {0};
  std::vector<float> values;
  for (int k = 0; k < 1000; ++k) values.push_back(static_cast<float>(std::sin(k) * 3 + 1));
  values[500] = std::numeric_limits<float>::quiet_NaN();
  PackedValues packed(packing, 10, 100);
  packed.add(0, values);
  const std::vector<unsigned char> bytes = unbase64(packed.base64());
  ASSERT_EQ(bytes.size(), 2000u);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int word = bytes[2 * k] | bytes[2 * k + 1] << 8;
    if (k == 500) {
      EXPECT_EQ(word, 65535);
    } else {
      EXPECT_NEAR(packed.base() + word * packed.step(), static_cast<double>(values[k]),
                  packed.step() / 2 + 1e-12);
    }
  }
}

TEST(PackedValues, GivesUpPrecisionThenSlicesThenResolution) {
  EXPECT_EQ(choose_packing(100, 10, 4000).bits, 32);
  EXPECT_EQ(choose_packing(100, 10, 3999).bits, 16);
  EXPECT_EQ(choose_packing(100, 10, 2000).slices.size(), 10u);
  const Packing fewer = choose_packing(100, 10, 1999);
  EXPECT_EQ(fewer.slices, (std::vector<std::size_t>{0, 1, 2, 3, 5, 6, 7, 8, 9}));
  EXPECT_EQ(choose_packing(100, 10, 700).slices, (std::vector<std::size_t>{1, 5, 8}));
  EXPECT_EQ(choose_packing(100, 10, 300).slices, (std::vector<std::size_t>{5}));
  EXPECT_EQ(choose_packing(100, 10, 300).reduction, 1u);
  EXPECT_EQ(choose_packing(100, 10, 199).reduction, 2u);
  EXPECT_EQ(choose_packing(100, 10, 10).reduction, 5u);
}

TEST(PackedValues, ReducesToMeansUpToTheEdge) {
  Packing packing;
  packing.reduction = 2;
  packing.slices = {1};
  PackedValues packed(packing, 3, 3);
  packed.add(0, std::vector<float>(9, 100));
  packed.add(1, std::vector<float>{1, 3, 5, 5, 7, 9, 2, 4, 8});
  EXPECT_EQ(packed.rows(), 2u);
  EXPECT_EQ(packed.columns(), 2u);
  EXPECT_EQ(packed.high(), 100) << "of all slices";
  const std::vector<unsigned char> bytes = unbase64(packed.base64());
  ASSERT_EQ(bytes.size(), 16u);
  const std::vector<float> means = {4, 7, 3, 8};
  for (std::size_t k = 0; k < 4; ++k) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 4; ++j) word |= std::uint32_t{bytes[4 * k + j]} << (8 * j);
    EXPECT_EQ(std::bit_cast<float>(word), means[k]);
  }
}

TEST(ThinnedCurve, KeepsAllFinitePointsOfShortCurves) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {1, nan, 3, std::numeric_limits<double>::infinity(), 5};
  const std::vector<long> rounds = {0, 1, 2, 3, 4};
  EXPECT_EQ(thinned(values, rounds, 20), (std::vector<std::size_t>{0, 2, 4}));
}

TEST(ThinnedCurve, KeepsStartEndAndPeaksOfLongCurves) {
  std::vector<double> values(100000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1 / (1 + static_cast<double>(k));
  values[31415] = 9;
  values[77777] = -9;
  std::vector<long> rounds(values.size());
  std::iota(rounds.begin(), rounds.end(), 0);
  const std::vector<std::size_t> kept = thinned(values, rounds, 2000);
  EXPECT_LE(kept.size(), 2000u);
  EXPECT_GT(kept.size(), 1900u);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
  for (std::size_t k = 0; k < 200; ++k) EXPECT_EQ(kept[k], k);
  EXPECT_EQ(kept.back(), values.size() - 1);
  for (const std::size_t peak : {31415u, 77777u}) {
    EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), peak)) << peak;
  }
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(ReportPage, LetsNoTextEscapeFromTheDocument) {
  const nlohmann::json document = {{"name", "</script><script>alert(1)</script><!-- & \\ \" \n"}};
  const std::string page = report_page(document.dump());
  EXPECT_EQ(count(page, "<script"), count(page_bundle(), "<script"));
  EXPECT_EQ(count(page, "</script"), count(page_bundle(), "</script"));
  EXPECT_EQ(count(page, "<!--"), count(page_bundle(), "<!--"));
  const std::string start = R"(id="firm-document">)";
  const std::size_t from = page.find(start) + start.size();
  EXPECT_EQ(nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from)),
            document);
}

TEST(ReportPage, AllowsNoExternalContent) {
  const std::string page = report_page("{}");
  EXPECT_EQ(count(page, R"(http-equiv="Content-Security-Policy")"), 1u);
  EXPECT_EQ(count(page, "default-src 'none'; connect-src 'none'; script-src 'sha256-"), 1u);
  EXPECT_EQ(count(page, "unsafe-"), 0u);
  for (const char* attribute : {R"(<link rel="stylesheet")", "<script src", "@import", "//cdn"}) {
    EXPECT_EQ(count(page, attribute), 0u) << attribute;
  }
}

}  // namespace
}  // namespace firm
