// Sites with different angles, beamlets, rotation axes and binning, reconstructed on one grid.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "firm/projector.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "io/study/study_file.h"
#include "support/command_line.h"

namespace firm {
namespace {

constexpr int kSize = 40;
constexpr double kPixel = 1e-4;

class SiteGeometry : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run(fmt::format("simulate --out study --size {} --angles 30", kSize)).code, 0);
    file_ = read_study(directory_ / "study/study.toml");
    for (SiteEntry& site : file_.sites) {
      site.spacing = {};
      site.rotation_axis = {};
    }
    file_.settings = {{"stop.kkt", "0.0003"}};
  }

  // Different angles and beamlets for every site.
  static Geometry geometry_of(std::size_t site) {
    Geometry g = paper_geometry(kSize, 27 + 3 * static_cast<int>(site), kPixel);
    for (double& angle : g.angles) angle += 0.05 * static_cast<double>(site);
    std::reverse(g.angles.begin(), g.angles.begin() + 9);  // in no order
    g.beamlets += 2 * static_cast<int>(site);
    g.spacing = (site == 1 ? 0.9 : 1.0) * kPixel;
    g.rotation_axis = g.beamlets / 2.0 + 1.3 * static_cast<double>(site) - 2;
    return g;
  }

  // Measures site k with detector pixels finer by `binning` in both directions. `shifts` move the
  // object along the detector, in beamlets of geometry_of().
  void measure(std::size_t k, int binning, const std::vector<double>& shifts = {}) {
    Geometry g = geometry_of(k);
    g.shifts = shifts;
    SiteEntry& site = file_.sites[k];
    Acquisition a;
    a.units = site.kind == "xrt" ? "1" : "g/cm^2";
    for (const double angle : g.angles) a.theta.push_back(angle * 180 / std::numbers::pi);
    a.beamlets = g.beamlets * binning;
    a.spacing = g.spacing / binning;
    a.rotation_axis = g.rotation_axis * binning;
    Block rays(g.rays(), 1);
    make_projector(g)->forward(truth_of(site), rays);
    const auto repeats = static_cast<std::size_t>(binning);
    a.data = Block(g.rays() * repeats, repeats);
    for (std::size_t ray = 0; ray < a.data.rows(); ++ray) {
      for (std::size_t y = 0; y < repeats; ++y) a.data(ray, y) = rays(ray / repeats, 0);
    }
    site.data = fmt::format("own-{}.h5", k);
    site.binning = binning;
    write_acquisition(directory_ / ("study/" + site.data), a);
  }

  void write_shifts(const std::vector<double>& shifts, int binning) {
    std::string text = "# beamlets\n";
    for (const double shift : shifts) text += fmt::format("{}\n", shift * binning);
    write_text_file(directory_ / "study/stage.txt", text);
  }

  Block truth_of(const SiteEntry& site) {
    return read_images(directory_ / "study/truth.h5", site.name, {kSize, kSize, kPixel}, 1);
  }

  // ||w - truth|| / ||truth||, over all sites.
  double error() {
    double norm = 0;
    for (const SiteEntry& site : file_.sites) {
      const Block truth = truth_of(site);
      for (const float value : truth.values()) norm = std::hypot(norm, value);
    }
    write_study(directory_ / "study/own.toml", file_);
    const Outcome outcome = run("recon study/own.toml --out run --overwrite");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return summary("run")["error_to_truth"]["total"].get<double>() / norm;
  }

  StudyFile file_;
};

TEST_F(SiteGeometry, DifferentGeometriesGiveImagesOnOneGrid) {
  for (std::size_t k = 0; k < file_.sites.size(); ++k) measure(k, 1);
  const double own = error();
  EXPECT_LT(own, 0.03);
  measure(2, 2);
  EXPECT_NEAR(error(), own, 0.02 * own);
  // A wrong axis of one site spoils the images.
  file_.sites[3].rotation_axis = geometry_of(3).beamlets / 2.0;
  EXPECT_GT(error(), 2 * own);
}

TEST_F(SiteGeometry, ShiftCorrectsPosition) {
  for (std::size_t k = 0; k < file_.sites.size(); ++k) measure(k, 1);
  const double own = error();
  const Geometry g = geometry_of(0);
  const double right = 2.5 * kPixel;
  const double up = -1.5 * kPixel;
  std::vector<double> shifts;
  for (const double angle : g.angles) {
    shifts.push_back((right * std::cos(angle) + up * std::sin(angle)) / g.spacing);
  }
  measure(0, 1, shifts);
  EXPECT_GT(error(), 2 * own);
  file_.sites[0].shift_x = right;
  file_.sites[0].shift_y = up;
  EXPECT_LT(error(), 1.2 * own);
}

// A stage that moves between angles.
TEST_F(SiteGeometry, ShiftsCorrectPositionPerAngle) {
  for (std::size_t k = 0; k < file_.sites.size(); ++k) measure(k, 1);
  const double own = error();
  std::vector<double> shifts;
  for (std::size_t k = 0; k < geometry_of(0).angles.size(); ++k) {
    shifts.push_back(2 * std::sin(1.7 * static_cast<double>(k)));
  }
  measure(0, 1, shifts);
  EXPECT_GT(error(), 2 * own);
  file_.sites[0].shifts.file = "stage.txt";
  write_shifts(shifts, 1);
  EXPECT_LT(error(), 1.2 * own);
  // The resolved study refers to the file of shifts.
  const SiteEntry resolved = read_study(directory_ / "run/study.toml").sites[0];
  EXPECT_EQ(resolved.shifts.file, "../study/stage.txt");
  // Shifts are in beamlets of the file.
  measure(0, 2, shifts);
  write_shifts(shifts, 2);
  EXPECT_LT(error(), 1.2 * own);
  write_study(directory_ / "study/own.toml", file_);
  shifts.pop_back();
  write_shifts(shifts, 2);
  expect_error(run("recon study/own.toml --out other"), 3,
               "stage.txt: expected 27 shifts, one per angle of study/own-0.h5, found 26");
}

TEST_F(SiteGeometry, AxisAndAngleOffsetCorrectGeometry) {
  for (std::size_t k = 0; k < file_.sites.size(); ++k) measure(k, 1);
  const double own = error();
  // Same data, described with another axis and an offset of the angles.
  Acquisition a = read_acquisition(directory_ / "study/own-0.h5");
  for (double& theta : a.theta) theta -= 5;
  a.rotation_axis += 2;
  write_acquisition(directory_ / "study/own-0.h5", a);
  const double without = error();
  file_.sites[0].angle_offset = 5;
  file_.sites[0].rotation_axis = a.rotation_axis - 2;
  EXPECT_NEAR(error(), own, 0.02 * own);
  EXPECT_GT(without, 1.2 * own);
}

}  // namespace
}  // namespace firm
