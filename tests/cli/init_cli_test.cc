// firm init, and the study that it writes, through firm check and firm recon.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "io/study/study_file.h"
#include "support/command_line.h"
#include "support/scan_files.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

class Init : public CommandLine {
 protected:
  // Simulates calcium, iron, zinc and XRT in beamline/, one slice.
  void SetUp() override {
    ASSERT_EQ(run("simulate --out beamline --preset elements --size 16 --angles 12 --noise 0.01 "
                  "--pixel-size 10")
                  .code,
              0);
  }

  Acquisition simulated(const std::string& site) const {
    return read_acquisition(directory_ / ("beamline/" + site + ".h5"));
  }
  static std::vector<float> values(const Acquisition& a) {
    return {a.data.values().begin(), a.data.values().end()};
  }
  void write_array(const std::string& name, const Acquisition& a) {
    write_npy(directory_ / name, {a.theta.size(), 1, static_cast<std::size_t>(a.beamlets)},
              values(a));
  }
  void write_angle_file(const std::string& name, const Acquisition& a, double unit) {
    std::string text;
    for (const double angle : a.theta) text += fmt::format("{}\n", angle * unit);
    write_text_file(directory_ / name, text);
  }

  // The study passes the check without an error, and gives images.
  void expect_images(const std::string& study) {
    const Outcome check = run("check " + study);
    EXPECT_EQ(check.code, 0) << check.out << check.err;
    const Outcome recon = run("recon " + study + " --out run --overwrite --set stop.rounds=3");
    EXPECT_EQ(recon.code, 5) << recon.out << recon.err;
    EXPECT_NE(file_content(directory_ / "run/images.h5"), "");
  }
};

TEST_F(Init, OfArraysGivesImages) {
  const Acquisition xrt = simulated("xrt");
  write_array("Ca.npy", simulated("xrf-1"));
  write_array("Fe.npy", simulated("xrf-2"));
  write_array("Zn.npy", simulated("xrf-3"));
  Acquisition transmissions = xrt;
  for (float& value : transmissions.data.values()) value = std::exp(-value);
  write_array("sample.npy", transmissions);
  write_angle_file("theta.txt", xrt, std::numbers::pi / 180);
  const Outcome init = run(
      "init Ca.npy Fe.npy Zn.npy sample.npy --energy '12 keV' --pixel-size '10 um' --out s.toml");
  ASSERT_EQ(init.code, 0) << init.err;
  EXPECT_CONTAINS(init.out, "wrote s.toml: 4 sites");
  EXPECT_CONTAINS(init.out, "Ca: compound = \"Ca\": a guess: the name of the file");
  EXPECT_CONTAINS(init.out, "sample: kind = \"xrt\": a guess");
  EXPECT_CONTAINS(init.out, "Fe: angles = \"theta.txt\": a guess: beside the data");
  EXPECT_CONTAINS(init.out, "Fe: angle_unit = \"rad\": a guess");
  EXPECT_CONTAINS(init.out, "firm calibrate s.toml --out calibrated.toml");
  const std::string study = file_content(directory_ / "s.toml");
  EXPECT_CONTAINS(study, "angle_unit = \"rad\"              # a guess");
  EXPECT_CONTAINS(study, "normalize = \"none\"              # a guess: the data is transmissions");
  expect_images("s.toml");
}

TEST_F(Init, OfTiffGivesImages) {
  const Acquisition xrt = simulated("xrt");
  for (const std::string site : {"xrf-2", "xrt"}) {
    const std::string name = site == "xrt" ? "xrt.tif" : "xrf_Fe_K.tif";
    TiffWriter<float> writer(directory_ / name, {.format = SAMPLEFORMAT_IEEEFP});
    writer.page(xrt.theta.size(), static_cast<std::size_t>(xrt.beamlets), values(simulated(site)));
  }
  write_angle_file("stage.txt", xrt, 1);
  const Outcome init =
      run("init xrf_Fe_K.tif xrt.tif --angles stage.txt --energy 12keV --pixel-size 10um "
          "--out s.toml --name leaf");
  ASSERT_EQ(init.code, 0) << init.err;
  EXPECT_CONTAINS(init.out, "axes = \"y:theta:x\": a guess");
  const StudyFile study = read_study(directory_ / "s.toml");
  EXPECT_EQ(study.name, "leaf");
  EXPECT_EQ(study.slices, 1);
  EXPECT_EQ(study.rows, xrt.beamlets);
  EXPECT_FALSE(study.sites.at(1).prepare.minus_log);
  expect_images("s.toml");
}

TEST_F(Init, OfDataExchangeGivesImages) {
  ASSERT_EQ(run("init beamline/xrf-1.h5 beamline/xrf-2.h5 beamline/xrf-3.h5 beamline/xrt.h5 "
                "--energy '12 keV' --out s.toml")
                .code,
            0);
  const StudyFile study = read_study(directory_ / "s.toml");
  EXPECT_EQ(study.sites.at(0).compound, "Ca");
  EXPECT_NEAR(study.sites[0].coefficient, 56.07, 0.01);
  EXPECT_EQ(study.pixel_size, 10e-4);
  expect_images("s.toml");
}

TEST_F(Init, RefusesWrongArguments) {
  const std::string files = "init beamline/xrf-1.h5 beamline/xrt.h5 --out s.toml ";
  expect_error(run(files), 2, "--energy: expected the energy of the XRT beam");
  expect_error(run(files + "--energy 12"), 2, "--energy: expected a number above 0 and a unit");
  expect_error(run(files + "--energy '12 keV' --pixel-size '-1 um'"), 2, "--pixel-size");
  expect_error(run("init beamline/xrf-1.h5 --out s.toml"), 2, "found XRF only");
  expect_error(run("init none.h5 --out s.toml"), 3, "none.h5: expected");
  expect_error(run("init beamline/xrt.h5 --out beamline"), 2, "found a directory");
  ASSERT_EQ(run(files + "--energy '12 keV'").code, 0);
  expect_error(run(files + "--energy '12 keV'"), 2, "expected a new file, or --overwrite");
  EXPECT_EQ(run(files + "--energy '12 keV' --overwrite").code, 0);
}

// Without a unit, Data Exchange counts as counts, which cannot be logarithms.
TEST_F(Init, ReportsFileThatContradictsItsValues) {
  Acquisition xrt = simulated("xrt");
  xrt.units = "counts";
  write_acquisition(directory_ / "xrt.h5", xrt);
  const Outcome init = run("init beamline/xrf-1.h5 xrt.h5 --energy '12 keV' --out s.toml");
  EXPECT_EQ(init.code, 3);
  EXPECT_CONTAINS(init.err, "give the dataset the units \"1\" if the logarithm is already taken");
}

}  // namespace
}  // namespace firm
