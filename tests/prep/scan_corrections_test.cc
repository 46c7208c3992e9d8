// Corrections of what a scan got wrong: lag, vertical shifts, gain, cross-talk.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/hdf5/hdf5.h"
#include "prep/steps/lag.h"
#include "prep/steps/vertical_shifts.h"
#include "prep/xrt_site.h"

namespace firm {
namespace {

// ---- lag

// One pole along the beamlets, as a slow detector has it.
void add_lag(double lag, std::size_t beamlets, Block& values) {
  const double a = std::exp(-1 / lag);
  for (std::size_t z = 0; z < values.columns(); ++z) {
    double y = 0;
    for (std::size_t k = 0; k < values.rows(); ++k) {
      const auto x = static_cast<double>(values(k, z));
      y = k % beamlets == 0 ? x : a * y + (1 - a) * x;
      values(k, z) = static_cast<float>(y);
    }
  }
}

Block normal_block(std::size_t rows, std::size_t columns) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal(0, 1);
  Block block(rows, columns);
  for (float& value : block.values()) value = normal(random);
  return block;
}

double rms(const Block& block) {
  double sum = 0;
  for (const float value : block.values()) sum += static_cast<double>(value) * value;
  return std::sqrt(sum / static_cast<double>(block.size()));
}

TEST(Lag, InvertsAShortOneExactly) {
  const Block truth = normal_block(5 * 60, 2);
  Block lagged = truth;
  add_lag(2, 60, lagged);
  Sinogram s(60, lagged);
  remove_lag(2, s);
  for (std::size_t k = 0; k < s.size(); ++k) ASSERT_NEAR(s.value(k), truth.data()[k], 1e-5);
  EXPECT_EQ(lag_resolution(2), 0);
  remove_lag(0, s);
  for (std::size_t k = 0; k < s.size(); ++k) ASSERT_NEAR(s.value(k), truth.data()[k], 1e-5);
  EXPECT_EQ(lag_noise_growth(0), 1);
}

TEST(Lag, KeepsTheGrowthOfNoiseAtFour) {
  for (const double lag : {0.5, 2.0, 3.0, 7.0, 14.0, 40.0}) {
    Sinogram s(4000, normal_block(8 * 4000, 1));
    remove_lag(lag, s);
    EXPECT_LE(lag_noise_growth(lag), 4 * (1 + 1e-9)) << lag;
    EXPECT_NEAR(rms(s.values) / lag_noise_growth(lag), 1, 0.03) << lag;
  }
  EXPECT_NEAR(lag_noise_growth(2), std::sqrt(1 + std::exp(-1.0)) / (1 - std::exp(-0.5)), 1e-12);
  EXPECT_NEAR(lag_noise_growth(14), 4, 1e-6);
  EXPECT_GT(lag_resolution(14), 2.5);
  EXPECT_LT(lag_resolution(14), 3.5);
}

TEST(Lag, KeepsSmoothObjectsInPlace) {
  Block truth(200, 1);
  for (std::size_t x = 0; x < 200; ++x) {
    const double t = (static_cast<double>(x) - 90) / 12;
    truth(x, 0) = static_cast<float>(std::exp(-t * t / 2));
  }
  Block lagged = truth;
  add_lag(14, 200, lagged);
  Sinogram s(200, lagged);
  remove_lag(14, s);
  for (std::size_t x = 0; x < 200; ++x) EXPECT_NEAR(s.value(x), truth(x, 0), 0.01) << x;
}

TEST(Lag, MasksWhatNeedsAMaskedNeighbour) {
  Sinogram s(40, normal_block(40, 1));
  s.value(10) = kNan;
  s.mark(10, Flaw::kZinger);
  remove_lag(14, s);
  EXPECT_EQ(s.flaws[10], Flaw::kZinger);
  EXPECT_EQ(s.flaws[11], Flaw::kZinger);
  EXPECT_EQ(s.unusable(), 2u);
  for (std::size_t x = 0; x < 40; ++x) {
    EXPECT_EQ(std::isfinite(s.value(x)), x != 10) << x;
  }
}

class LaggedSite : public XrtSite {
 protected:
  // Lags the transmissions of the file.
  void lag_file(double lag) {
    Block t(clean_.rows(), 1);
    for (std::size_t k = 0; k < t.rows(); ++k) {
      t(k, 0) =
          static_cast<float>((file_data_.data(k, 0) - kDark) / (white(k % beamlets_) - kDark));
    }
    add_lag(lag, beamlets_, t);
    for (std::size_t k = 0; k < t.rows(); ++k) {
      const double beam = white(k % beamlets_) - kDark;
      file_data_.data(k, 0) = static_cast<float>(kDark + beam * t(k, 0));
    }
  }
};

TEST_F(LaggedSite, IsCorrectedBeforeTheLogarithm) {
  lag_file(14);
  EXPECT_GT(error(prepare()), 0.05);
  entry_.prepare.lag = 14;
  const PreparedSite p = prepare();
  EXPECT_LT(error(p), 0.015);
  ASSERT_TRUE(p.report.lag);
  EXPECT_EQ(
      preparation_text(p.report),
      fmt::format("lag of 14 beamlets removed: noise grows 4-fold, resolution {:.2g} beamlets",
                  lag_resolution(14)));
  entry_.prepare.lag = 0;
  EXPECT_FALSE(prepare().report.lag);
}

TEST_F(LaggedSite, HasItsNoiseMultiplied) {
  lag_file(14);
  const auto sigma = [&](Noise noise, std::optional<double> lag) {
    entry_.noise = noise;
    entry_.prepare.lag = lag;
    return prepare().site.sigma;
  };
  const double counts = sigma(Noise::kCounts, {});
  EXPECT_NEAR(sigma(Noise::kCounts, 14) / counts, 4, 0.2);
  const double estimate = sigma(Noise::kEstimated, {});
  EXPECT_NEAR(sigma(Noise::kEstimated, 14) / estimate, 4, 1e-3);
}

// ---- vertical shifts

// Values 100 * angle + row, on a detector of 12 rows.
class VerticalSite : public XrtSite {
 protected:
  void SetUp() override {
    XrtSite::SetUp();
    file_data_.data = Block(kAngles * beamlets_, kRows);
    for (std::size_t k = 0; k < file_data_.data.rows(); ++k) {
      for (std::size_t y = 0; y < kRows; ++y) {
        file_data_.data(k, y) = static_cast<float>(100 * (k / beamlets_) + y);
      }
    }
    file_data_.white = file_data_.dark = Block();
    file_data_.units = "1";
    entry_.prepare = {};
    entry_.first_slice = 2;
    file_.slices = 8;
    for (int k = 0; k < kAngles; ++k) {
      entry_.shifts_vertical.values.push_back(k % 2 == 0 ? 0.5 * (k % 5) : -0.25 * (k % 3));
    }
  }
  PreparedSite prepare_slices(const SliceRange& slices) {
    write_acquisition(directory_ / "xrt.h5", file_data_);
    file_.sites = {entry_};
    return StudyData(file_, directory_ / "study.toml").prepare("xrt", slices);
  }
  static constexpr std::size_t kRows = 12;
};

TEST_F(VerticalSite, TakesEachSliceWhereItAppears) {
  const PreparedSite p = prepare();
  ASSERT_EQ(p.data.values.columns(), 8u);
  for (std::size_t a = 0; a < kAngles; ++a) {
    for (std::size_t z = 0; z < 8; ++z) {
      const double at = static_cast<double>(z) + 2 + entry_.shifts_vertical.values[a];
      ASSERT_NEAR(p.data.values(ray(a, 7), z), 100.0 * static_cast<double>(a) + at, 1e-2);
    }
  }
  EXPECT_EQ(p.report.masked(), 0u);
}

TEST_F(VerticalSite, GivesASliceTheSameValuesInAnyChunk) {
  const PreparedSite all = prepare();
  for (const SliceRange part : {SliceRange{0, 3}, SliceRange{3, 1}, SliceRange{4, 4}}) {
    const PreparedSite some = prepare_slices(part);
    for (std::size_t k = 0; k < some.data.values.rows(); ++k) {
      for (std::size_t z = 0; z < part.count; ++z) {
        ASSERT_EQ(some.data.values(k, z), all.data.values(k, part.first + z));
      }
    }
  }
}

TEST_F(VerticalSite, MasksWhatIsBeyondTheFile) {
  entry_.shifts_vertical.values[0] = -4;
  entry_.shifts_vertical.values[1] = 30;
  const PreparedSite p = prepare();
  EXPECT_EQ(p.report.outside, (2 + 8) * beamlets_);
  EXPECT_EQ(p.data.weights(ray(0, 0), 1), 0);
  EXPECT_EQ(p.data.weights(ray(0, 0), 2), 1);
  EXPECT_FLOAT_EQ(p.data.values(ray(0, 0), 2), 0);
  EXPECT_EQ(p.data.weights(ray(1, 3), 7), 0);
  EXPECT_CONTAINS(preparation_text(p.report), "shifted beyond the rows of the file");
}

TEST_F(VerticalSite, CountsRowsOfTheFileWhenBinned) {
  entry_.binning = 2;
  file_.slices = 4;
  const PreparedSite p = prepare();
  const std::size_t beamlets = beamlets_ / 2;
  for (std::size_t a = 0; a < kAngles; ++a) {
    // Slice 1 is the mean of rows 4 and 5.
    const double expected = 100.0 * static_cast<double>(a) + 4.5 + entry_.shifts_vertical.values[a];
    ASSERT_NEAR(p.data.values(a * beamlets + 3, 1), expected, 1e-2);
  }
}

// ---- gain

TEST_F(XrtSite, DividesTransmissionsByTheGain) {
  for (std::size_t a = 0; a < kAngles; ++a) {
    entry_.prepare.gain.values.push_back(1 + 0.3 * std::sin(static_cast<double>(a)));
    for (std::size_t x = 0; x < beamlets_; ++x) {
      raw(a, x) = static_cast<float>(kDark + entry_.prepare.gain.values[a] * (raw(a, x) - kDark));
    }
  }
  EXPECT_LT(error(prepare()), 0.003);
  entry_.prepare.gain = {};
  EXPECT_GT(error(prepare()), 0.1);
}

TEST_F(XrtSite, AddsTheLogarithmOfTheGainToLogarithms) {
  file_data_.white = file_data_.dark = Block();
  file_data_.units = "1";
  file_data_.data = clean_;
  entry_.prepare = {};
  entry_.prepare.gain.values.assign(kAngles, 1);
  entry_.prepare.gain.values[3] = 0.5;
  for (std::size_t x = 0; x < beamlets_; ++x) raw(3, x) -= static_cast<float>(std::log(0.5));
  EXPECT_LT(error(prepare()), 1e-6);
}

// ---- cross-talk

class MixedSite : public testing::Test {
 protected:
  // A file with 0.25 of Au in the channel of W.
  void SetUp() override {
    std::vector<float> values;
    for (const bool au : {false, true}) {
      for (std::size_t k = 0; k < kCount; ++k) {
        const float gold = static_cast<float>(k % 7) * 100;
        values.push_back(au ? gold : static_cast<float>(k) + gold / 4);
      }
    }
    const std::vector<double> angles = {0, 60, 120};
    h5::Writer w(directory_ / "xrf.h5");
    w.dataset("/data", {2, 3, 2, 8}, std::span<const float>(values));
    w.texts("/elements", {"W", "Au"});
    w.dataset("/thetas", {3}, std::span<const double>(angles));
    w.attribute("/data", "units", "counts");
    w.commit();
    file_.rows = file_.columns = 8;
    file_.slices = 2;
    file_.pixel_size = 1e-4;
    entry_.name = "w";
    entry_.kind = "xrf";
    entry_.data = "xrf.h5";
    entry_.element = "W";
    entry_.coefficient = 1;
    entry_.prepare.scale = 2;
    entry_.prepare.unmix = {{"Au", 0.25}};
  }
  PreparedSite prepare() { return prepare_all_slices(file_, entry_, directory_ / "study.toml"); }

  static constexpr std::size_t kCount = 3 * 2 * 8;
  TemporaryDirectory directory_;
  StudyFile file_;
  SiteEntry entry_;
};

TEST_F(MixedSite, LosesTheShareOfTheOtherElement) {
  const PreparedSite p = prepare();
  for (std::size_t k = 0; k < kCount; ++k) {
    const std::size_t row = k / 16 * 8 + k % 8;
    EXPECT_FLOAT_EQ(p.data.values(row, k / 8 % 2), 2.0F * static_cast<float>(k)) << k;
  }
  entry_.prepare.unmix = {{"Ag", 0.25}};
  EXPECT_CONTAINS(error_of([&] { prepare(); }), "Ag");
}

TEST_F(MixedSite, AddsVariancesOfCounts) {
  entry_.noise = Noise::kCounts;
  const PreparedSite mixed = prepare();
  entry_.prepare.unmix.clear();
  const PreparedSite plain = prepare();
  // The most precise values of the first are at k % 7 == 0, where there is no gold.
  EXPECT_GE(mixed.site.sigma, plain.site.sigma);
  const auto deviation = [](const PreparedSite& p, std::size_t row, std::size_t z) {
    return p.site.sigma / std::sqrt(static_cast<double>(p.data.weights(row, z)));
  };
  // k = 41: 41 + 600 / 4 counts, 600 of gold; scale 2.
  EXPECT_NEAR(deviation(mixed, 2 * 8 + 1, 1), 2 * std::sqrt(191 + 600.0 / 16), 1e-3);
  EXPECT_NEAR(deviation(plain, 2 * 8 + 1, 1), 2 * std::sqrt(191.0), 1e-3);
}

TEST_F(MixedSite, LeavesAnOpenScaleAsInTheFile) {
  entry_.prepare.scale.reset();
  entry_.prepare.find_scale = true;
  const PreparedSite p = prepare();
  EXPECT_TRUE(p.report.scale_open);
  EXPECT_EQ(p.report.scale, 1);
  EXPECT_FLOAT_EQ(p.data.values(1, 0), 1);
}

}  // namespace
}  // namespace firm
