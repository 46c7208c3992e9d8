// An XRT site for tests of preparation: its data file, its study, and the expected sinogram.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "io/formats/data_exchange.h"
#include "support/prepare_site.h"
#include "support/temporary_directory.h"

namespace firm {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr int kSize = 48;
inline constexpr int kAngles = 60;
inline constexpr double kPixel = 10e-4;
inline constexpr double kDark = 100;

// Counts with white and dark frames of an uneven beam, and a little noise.
class XrtSite : public testing::Test {
 protected:
  void SetUp() override {
    geometry_ = paper_geometry(kSize, kAngles, kPixel);
    geometry_.rotation_axis += 3.3;
    beamlets_ = static_cast<std::size_t>(geometry_.beamlets);
    clean_ = Block(geometry_.rays(), 1);
    for (std::size_t k = 0; k < clean_.rows(); ++k) {
      const std::size_t angle = k / beamlets_;
      const double t = geometry_.coordinate(angle, static_cast<int>(k % beamlets_)) / kPixel;
      const double theta = geometry_.angles[angle];
      clean_(k, 0) = static_cast<float>(blob(t, theta, 6, 2, 5) + 0.6 * blob(t, theta, -8, -9, 3));
    }

    file_.rows = file_.columns = kSize;
    file_.slices = 1;
    file_.pixel_size = kPixel;
    entry_.name = "xrt";
    entry_.kind = "xrt";
    entry_.data = "xrt.h5";
    entry_.prepare.minus_log = true;
    measure();
  }

  // Projection of a Gaussian blob at (x, y) of width s; all lengths in beamlets.
  static double blob(double t, double theta, double x, double y, double s) {
    const double distance = (t - x * std::cos(theta) - y * std::sin(theta)) / s;
    return std::exp(-distance * distance / 2);
  }

  double white(std::size_t beamlet) const {
    return kDark + 20000 * (1 + 0.3 * std::sin(0.2 * static_cast<double>(beamlet)));
  }

  void measure() {
    std::mt19937 random(5);
    std::normal_distribution<double> noise(1, 0.001);
    file_data_ = {};
    file_data_.units = "counts";
    for (int k = 0; k < kAngles; ++k) file_data_.theta.push_back(180.0 * k / kAngles);
    file_data_.beamlets = geometry_.beamlets;
    file_data_.spacing = kPixel;
    file_data_.rotation_axis = geometry_.rotation_axis;
    file_data_.data = Block(clean_.rows(), 1);
    file_data_.white = Block(4 * beamlets_, 1);
    file_data_.dark = Block(4 * beamlets_, 1);
    for (std::size_t k = 0; k < clean_.rows(); ++k) {
      const double beam = (white(k % beamlets_) - kDark) * std::exp(-clean_(k, 0));
      file_data_.data(k, 0) = static_cast<float>(kDark + beam * noise(random));
    }
    for (std::size_t k = 0; k < 4 * beamlets_; ++k) {
      file_data_.white(k, 0) = static_cast<float>(white(k % beamlets_) * noise(random));
      file_data_.dark(k, 0) = static_cast<float>(kDark * noise(random));
    }
  }

  float& raw(std::size_t angle, std::size_t beamlet) {
    return file_data_.data(angle * beamlets_ + beamlet, 0);
  }
  std::size_t ray(std::size_t angle, std::size_t beamlet) const {
    return angle * beamlets_ + beamlet;
  }

  PreparedSite prepare() {
    write_acquisition(directory_ / "xrt.h5", file_data_);
    return prepare_all_slices(file_, entry_, directory_ / "study.toml");
  }

  // Root mean square of b - clean over rays with a weight.
  double error(const PreparedSite& p) const {
    double sum = 0;
    double count = 0;
    for (std::size_t k = 0; k < clean_.size(); ++k) {
      if (p.data.weights.rows() > 0 && p.data.weights.data()[k] == 0) continue;
      const double e = static_cast<double>(p.data.values.data()[k]) - clean_.data()[k];
      sum += e * e;
      ++count;
    }
    return std::sqrt(sum / count);
  }

  void expect_warning(const PreparedSite& p, const std::string& text) {
    const auto all = p.report.all_warnings();
    EXPECT_TRUE(std::ranges::any_of(
        all, [&](const std::string& w) { return w.find(text) != std::string::npos; }))
        << text << "\nin: " << testing::PrintToString(all);
  }

  TemporaryDirectory directory_;
  Geometry geometry_;
  std::size_t beamlets_ = 0;
  Block clean_;
  StudyFile file_;
  SiteEntry entry_;
  Acquisition file_data_;
};

}  // namespace firm
