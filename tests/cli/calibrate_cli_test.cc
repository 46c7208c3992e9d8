// `firm calibrate`, and studies with matter that XRF does not see.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/files/image_file.h"
#include "io/formats/data_exchange.h"
#include "io/study/study_file.h"
#include "sim/noise.h"
#include "support/command_line.h"
#include "support/three_discs.h"

namespace firm {
namespace {

using Json = nlohmann::json;

class Calibrate : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --preset elements --out s --size 48 --angles 60").code, 0);
    study_ = read_study(directory_ / "s/study.toml");
    measure_discs();
  }

  // Replaces the phantom by three discs with little noise, and XRT by their attenuation.
  void measure_discs() {
    std::vector<Block> images;
    Block attenuation(geometry_.pixels(), 1);
    for (std::size_t i = 0; i < 3; ++i) {
      images.push_back(image_of(kThreeDiscs[i], geometry_, 2));
      add_to(attenuation, images[i], study_.sites[i].coefficient);
    }
    images.push_back(attenuation);
    std::vector<ImageStack> truth;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string& name = study_.sites[i].name;
      put_data(name, sinogram_of(images[i], geometry_), 0.005);
      truth.push_back(
          {name, i < 3 ? "density" : "attenuation", i < 3 ? "g/cm^3" : "1/cm", &images[i]});
    }
    write_images(directory_ / "s/truth.h5", {48, 48, 1e-4}, truth);
  }

  void put_data(const std::string& site, Block b, double noise) {
    const std::string name = directory_ / ("s/" + site + ".h5");
    Acquisition a = read_acquisition(name);
    Random random(1, site.back());
    add_gaussian_noise(noise, random, b);
    a.data = b;
    write_acquisition(name, a);
  }

  // Writes the changed study to s/t.toml.
  void write() { write_study(directory_ / "s/t.toml", study_); }

  // Makes the scales wrong by known factors.
  void spoil_scales() {
    for (std::size_t i = 0; i < 3; ++i) study_.sites[i].prepare.scale = kWrong[i];
    write();
  }

  // Adds a disc to the attenuation that no XRF site sees.
  void add_other_matter() {
    const std::string name = directory_ / "s/xrt.h5";
    Acquisition xrt = read_acquisition(name);
    other_ = image_of({0.68, 0.6, 0.18}, geometry_, 200);
    add_to(xrt.data, sinogram_of(other_, geometry_), 1);
    write_acquisition(name, xrt);
  }

  static constexpr double kWrong[] = {1e-3, 0.5, 40};
  const Geometry geometry_ = paper_geometry(48, 60);
  StudyFile study_;
  Block other_;
};

TEST_F(Calibrate, FindsScales) {
  spoil_scales();
  const Outcome o = run("calibrate s/t.toml --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const Json j = Json::parse(o.out);
  EXPECT_EQ(j.at("study"), "elements");
  EXPECT_EQ(j.at("out"), nullptr);
  EXPECT_EQ(j.at("warnings").size(), 0u) << j.at("warnings");
  ASSERT_EQ(j.at("sites").size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& site = j.at("sites")[i];
    EXPECT_EQ(site.at("name"), study_.sites[i].name);
    EXPECT_DOUBLE_EQ(site.at("old_scale"), kWrong[i]);
    EXPECT_NEAR(site.at("scale").get<double>(), 1, 0.02);
    EXPECT_NEAR(site.at("factor").get<double>() * kWrong[i], 1, 0.02);
    EXPECT_GT(site.at("uncertainty").get<double>(), 0);
    EXPECT_EQ(site.at("own_rays"), true);
  }
}

TEST_F(Calibrate, WritesUsableStudy) {
  spoil_scales();
  std::filesystem::create_directory(directory_ / "elsewhere");
  const Outcome o = run("calibrate s/t.toml --out elsewhere/new.toml");
  ASSERT_EQ(o.code, 0) << o.err;
  for (const std::string part : {"new scale", "part of XRT", "xrf-2", "wrote elsewhere/new.toml"}) {
    EXPECT_CONTAINS(o.out, part);
  }
  const StudyFile written = read_study(directory_ / "elsewhere/new.toml");
  EXPECT_EQ(written.sites[2].data, "../s/xrf-3.h5");
  EXPECT_NEAR(written.sites[0].prepare.scale.value_or(0), 1, 0.02);
  // Calibrating again changes nothing.
  const Json again = Json::parse(run("calibrate elsewhere/new.toml --json").out);
  for (const Json& site : again.at("sites")) {
    EXPECT_NEAR(site.at("factor").get<double>(), 1, 1e-5);
  }
  EXPECT_EQ(run("recon elsewhere/new.toml --out r").code, 0);
}

// Paths of study and result without a directory.
TEST_F(Calibrate, WritesToCurrentDirectory) {
  spoil_scales();
  Outcome o = run("calibrate s/t.toml --out here.toml");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(read_study(directory_ / "here.toml").sites[0].data, "s/xrf-1.h5");
  o = run("calibrate t.toml --out there.toml", "cd s && ");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(read_study(directory_ / "s/there.toml").sites[0].data, "xrf-1.h5");
  EXPECT_EQ(read_study(directory_ / "s/there.toml").truth, "truth.h5");
}

// std::system_error also comes from the file system, not only from standard output.
TEST_F(Calibrate, ReportsRemovedCurrentDirectory) {
  spoil_scales();
  const Outcome o =
      run(R"(calibrate "$OLDPWD/s/t.toml" --out new.toml >"$OLDPWD/.out" 2>"$OLDPWD/.err" #)",
          R"(mkdir gone && cd gone && rmdir "$OLDPWD/gone" && )");
  EXPECT_EQ(o.code, 3);
  EXPECT_CONTAINS(o.err, "No such file or directory");
  EXPECT_EQ(o.err.find("standard output"), std::string::npos) << o.err;
}

// The scale that is written includes the conversion of the file's unit.
TEST_F(Calibrate, ConvertsUnitsAndCounts) {
  for (const std::size_t i : {0, 1}) {
    const std::string name = directory_ / ("s/" + study_.sites[i].name + ".h5");
    Acquisition a = read_acquisition(name);
    a.units = i == 0 ? "ug/cm^2" : "counts";
    for (float& value : a.data.values()) value *= i == 0 ? 1e6f : 500.0f;
    write_acquisition(name, a);
  }
  const Outcome before = run("recon s/study.toml --out r --set stop.rounds=1");
  EXPECT_EQ(before.code, 3);
  EXPECT_CONTAINS(before.err, "xrf-2.h5: /exchange/data@units: expected an area density");
  EXPECT_CONTAINS(before.err, "the key scale of site xrf-2 of");
  EXPECT_CONTAINS(before.err, "found \"counts\"; set scale to the number");
  EXPECT_CONTAINS(before.err, "firm calibrate finds, or scale = \"auto\"");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "r/summary.json"));
  const Outcome checked = run("check s/study.toml");
  EXPECT_EQ(checked.code, 3);
  EXPECT_CONTAINS(checked.out, "scale = \"auto\"");
  EXPECT_EQ(checked.out.find("xrf-1.h5: /exchange/data@units"), std::string::npos);
  // A run finds the number itself.
  StudyFile open = read_study(directory_ / "s/study.toml");
  open.sites[1].prepare.find_scale = true;
  write_study(directory_ / "s/auto.toml", open);
  const Outcome found = run("recon s/auto.toml --out r");
  ASSERT_EQ(found.code, 0) << found.err;
  const StudyFile refined = read_study(directory_ / "r/refined.toml");
  EXPECT_NEAR(refined.sites[1].prepare.scale.value_or(0), 1 / 500.0, 4e-5);
  const Outcome o = run("calibrate s/study.toml --out s/new.toml --json");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(Json::parse(o.out).at("warnings").empty()) << o.out;
  const StudyFile written = read_study(directory_ / "s/new.toml");
  EXPECT_NEAR(written.sites[0].prepare.scale.value_or(0), 1e-6, 2e-8);
  EXPECT_NEAR(written.sites[1].prepare.scale.value_or(0), 1 / 500.0, 4e-5);
  const Outcome after = run("recon s/new.toml --out n --set stop.rounds=1");
  EXPECT_EQ(after.err.find("warning"), std::string::npos) << after.err;
}

// sigma is in the unit of the values after `scale`.
TEST_F(Calibrate, ScalesSigma) {
  study_.sites[1].sigma = 3;
  study_.sites[2].sigma = 1;
  spoil_scales();
  ASSERT_EQ(run("calibrate s/t.toml --out s/new.toml").code, 0);
  const StudyFile written = read_study(directory_ / "s/new.toml");
  EXPECT_NEAR(written.sites[1].sigma.value_or(0), 3 / kWrong[1], 0.2);
  EXPECT_NEAR(written.sites[2].sigma.value_or(0), 1 / kWrong[2], 0.002);
  EXPECT_FALSE(written.sites[0].sigma);
}

TEST_F(Calibrate, OmitsCoefficientsFromTables) {
  study_.energy = 12;
  for (std::size_t i = 0; i < 2; ++i) {
    study_.sites[i].compound = i == 0 ? "Ca" : "Fe";
    if (i == 0) study_.sites[i].coefficient = 0;
  }
  write();
  ASSERT_EQ(run("calibrate s/t.toml --out new.toml").code, 0);
  const StudyFile written = read_study(directory_ / "new.toml");
  EXPECT_TRUE(written.sites[0].looked_up);
  EXPECT_NEAR(written.sites[0].coefficient, 56.07, 0.1);
  EXPECT_FALSE(written.sites[1].looked_up);
}

TEST_F(Calibrate, WarnsOfMissingElement) {
  study_.sites.erase(study_.sites.begin() + 1);
  write();
  const Outcome o = run("calibrate s/t.toml");
  EXPECT_EQ(o.code, 0);
  EXPECT_CONTAINS(o.out, "warning: ");
  EXPECT_CONTAINS(o.out, "an element is missing");
  EXPECT_CONTAINS(o.out, "--out NEW.toml");
}

TEST_F(Calibrate, CalibratesSitesWithOtherRays) {
  spoil_scales();
  Acquisition a = read_acquisition(directory_ / "s/xrf-1.h5");
  Geometry g = paper_geometry(48, 71);
  g.rotation_axis += 2.25;
  a.theta.clear();
  for (const double angle : g.angles) a.theta.push_back(angle * 180 / M_PI);
  a.rotation_axis = g.rotation_axis;
  a.data = sinogram_of(image_of(kThreeDiscs[0], geometry_, 2), g);
  write_acquisition(directory_ / "s/xrf-1.h5", a);
  study_.sites[0].rotation_axis = g.rotation_axis;
  write();
  const Outcome o = run("calibrate s/t.toml --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const Json j = Json::parse(o.out);
  EXPECT_EQ(j.at("sites")[0].at("own_rays"), false);
  EXPECT_EQ(j.at("sites")[1].at("own_rays"), true);
  for (const Json& site : j.at("sites")) {
    EXPECT_NEAR(site.at("scale").get<double>(), 1, 0.03);
  }
  EXPECT_CONTAINS(run("calibrate s/t.toml").out, "by its image");
}

TEST_F(Calibrate, ReportsTooLittleMemory) {
  EXPECT_CONTAINS(run("calibrate s/study.toml").err, "memory: about ");
  ASSERT_EQ(run("simulate --preset elements --out m --size 8 --angles 4 --slices 64").code, 0);
  StudyFile file = read_study(directory_ / "m/study.toml");
  file.rows = file.columns = 32768;
  // Sites with other rays than XRT need an image.
  file.sites[0].rotation_axis = 5;
  write_study(directory_ / "m/study.toml", file);
  const Outcome o = run("calibrate m/study.toml");
  expect_error(o, 3, "memory: expected about ");
  EXPECT_CONTAINS(o.err, "for 64 slices at once");
}

TEST_F(Calibrate, RejectsWrongInput) {
  expect_error(run("calibrate"), 2, "STUDY");
  expect_error(run("calibrate none.toml"), 2, "none.toml");
  std::filesystem::remove(directory_ / "s/xrf-1.h5");
  expect_error(run("calibrate s/study.toml"), 3, "xrf-1.h5");
}

// ---- matter that XRF does not see ---------------------------------------------------------------

TEST_F(Calibrate, ReconstructsImageOfOtherMatter) {
  add_other_matter();
  const std::string how = " --set stop.discrepancy=0.006 --set stop.rounds=30";
  ASSERT_EQ(run("recon s/study.toml --out without" + how).code, 5);  // no images fit the data
  study_.other = true;
  write();
  const Outcome o = run("recon s/t.toml --out with" + how);
  ASSERT_EQ(o.code, 0) << o.err;
  const auto error = [&](const std::string& out) {
    const Json j = summary(out);
    double squares = 0;
    for (const char* site : {"xrf-1", "xrf-2", "xrf-3"}) {
      const double e = j.at("error_to_truth").at("sites").at(site);
      squares += e * e;
    }
    return std::sqrt(squares);
  };
  EXPECT_LT(error("with"), 0.5 * error("without"));
  // The image of other matter shows the disc.
  const Block found = read_images(directory_ / "with/images.h5", "other");
  double inside = 0;
  double all = 0;
  for (std::size_t p = 0; p < found.rows(); ++p) {
    all += found(p, 0);
    if (other_(p, 0) > 0) inside += found(p, 0);
  }
  double truth = 0;
  for (const float v : other_.values()) truth += v;
  EXPECT_GT(inside, 0.8 * truth);
  EXPECT_LT(all, 1.2 * truth);
}

TEST_F(Calibrate, ExcludesRaysThroughOtherMatter) {
  add_other_matter();
  spoil_scales();
  study_.other = true;
  write();
  const Outcome o = run("calibrate s/t.toml --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const Json j = Json::parse(o.out);
  for (const Json& site : j.at("sites")) {
    EXPECT_NEAR(site.at("scale").get<double>(), 1, 0.01);
  }
  EXPECT_CONTAINS(j.at("warnings").dump(), "rays without other matter");
}

TEST_F(Calibrate, RejectsStudyWithoutXrf) {
  ASSERT_EQ(run("simulate --out alone --size 12 --angles 4").code, 0);
  StudyFile file = read_study(directory_ / "alone/study.toml");
  file.sites.erase(file.sites.begin(), file.sites.begin() + 3);
  file.other = true;
  write_study(directory_ / "alone/study.toml", file);
  expect_error(run("calibrate alone/study.toml"), 2, "expected XRF sites");
}

}  // namespace
}  // namespace firm
