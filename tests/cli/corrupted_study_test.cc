// A realistic study: XRT with an unknown rotation axis, a jump of I0, dead columns, and an element
// that no XRF site has measured. Shows that each correction is needed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/formats/data_exchange.h"
#include "io/study/study_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

constexpr std::size_t kOffset = 4;  // beamlets between the axis and the middle of the detector
constexpr double kJump = 0.7;       // factor of I0 in the second half of the angles
constexpr std::size_t kDead[] = {20, 47};

class CorruptedStudy : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out study --preset elements --size 48 --angles 36 --counts 100000 "
                  "--noise 0.01 --pixel-size 20")
                  .code,
              0);
    clean_ = read_study(directory_ / "study/study.toml");
    write_corrupted(read_acquisition(directory_ / "study/xrt.h5"));
  }

  void write_corrupted(const Acquisition& clean) {
    Acquisition bad = clean;
    const auto beamlets = static_cast<std::size_t>(clean.beamlets);
    for (std::size_t a = 0; a < clean.theta.size(); ++a) {
      for (std::size_t x = 0; x < beamlets; ++x) {
        // Beyond the detector is air, as in its outermost beamlet.
        const std::size_t from = std::min(x + kOffset, beamlets - 1);
        const double jump = a < clean.theta.size() / 2 ? 1 : kJump;
        bad.data(a * beamlets + x, 0) =
            static_cast<float>(jump * static_cast<double>(clean.data(a * beamlets + from, 0)));
      }
      for (const std::size_t x : kDead) {
        bad.data(a * beamlets + x, 0) = std::numeric_limits<float>::quiet_NaN();
      }
    }
    write_acquisition(directory_ / "study/bad.h5", bad);
  }

  // Enables all corrections; `change` can disable some.
  StudyFile corrected(const std::function<void(SiteEntry&)>& change = [](SiteEntry&) {}) const {
    StudyFile file = clean_;
    SiteEntry& xrt = file.sites.back();
    xrt.data = "bad.h5";
    xrt.rotation_axis = {};
    xrt.find_rotation_axis = true;
    xrt.prepare.normalize = "air";
    xrt.prepare.air = 4;
    xrt.prepare.bad_values = "mask";
    change(xrt);
    return file;
  }

  Outcome reconstruct(const StudyFile& file) {
    write_study(directory_ / "study/variant.toml", file);
    return run("recon study/variant.toml --out run --overwrite");
  }
  // ||w - truth|| of the XRT image.
  double error_of(const StudyFile& file) {
    const Outcome outcome = reconstruct(file);
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 5) << outcome.err;
    return summary("run")["error_to_truth"]["sites"]["xrt"].get<double>();
  }

  StudyFile clean_;
};

TEST_F(CorruptedStudy, ReconstructsAlmostAsWellAsCleanStudy) {
  const double clean = error_of(clean_);
  const double error = error_of(corrected());
  EXPECT_LT(error, 1.1 * clean);
  const StudyFile resolved = read_study(directory_ / "run/study.toml");
  const double middle = 68 / 2.0;
  EXPECT_NEAR(*resolved.sites.back().rotation_axis, middle - kOffset, 0.25);
}

TEST_F(CorruptedStudy, NeedsRotationAxis) {
  const double error = error_of(corrected());
  const double without = error_of(corrected([](SiteEntry& xrt) {
    xrt.find_rotation_axis = false;
    xrt.rotation_axis = 68 / 2.0;
  }));
  EXPECT_GT(without, 1.5 * error);
}

TEST_F(CorruptedStudy, NeedsNormalizationByAir) {
  const double error = error_of(corrected());
  const double without = error_of(corrected([](SiteEntry& xrt) {
    xrt.prepare.normalize = "flat";
    xrt.prepare.air = 0;
    xrt.find_rotation_axis = false;
    xrt.rotation_axis = 68 / 2.0 - kOffset;
  }));
  EXPECT_GT(without, 1.5 * error);
}

TEST_F(CorruptedStudy, NeedsMask) {
  const Outcome outcome =
      reconstruct(corrected([](SiteEntry& xrt) { xrt.prepare.bad_values = "error"; }));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_CONTAINS(outcome.err, "bad.h5");
  EXPECT_CONTAINS(outcome.err, "bad_values = \"mask\"");
}

// Values invented for dead columns show in the image.
TEST_F(CorruptedStudy, MaskIsBetterThanInventedValues) {
  const double error = error_of(corrected());
  Acquisition filled = read_acquisition(directory_ / "study/bad.h5");
  float air = 100000;  // all different: a constant beamlet would be masked
  for (float& value : filled.data.values()) {
    if (std::isnan(value)) value = air++;
  }
  write_acquisition(directory_ / "study/bad.h5", filled);
  EXPECT_GT(error_of(corrected()), 1.1 * error);
}

TEST_F(CorruptedStudy, NeedsOtherImageForMissingElement) {
  StudyFile file = corrected();
  file.sites.erase(file.sites.begin() + 2);  // the heaviest
  const double without = error_of(file);
  file.other = true;
  const double error = error_of(file);
  EXPECT_LT(1.5 * error, without);
}

}  // namespace
}  // namespace firm
