// Reads folders with one file of XRF-Maps or PyXRF per angle.
#include <gtest/gtest.h>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "io/hdf5/hdf5.h"
#include "support/map_files.h"
#include "support/temporary_directory.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

const std::vector<double> kTheta = {10, 55, -3, 90};

class MapFolder : public ::testing::Test {
 protected:
  MapFolder() : angles_(write_angles(directory_ / "angles.txt")) { make_directory(folder()); }

  std::string folder() const { return directory_ / "maps"; }
  std::string in_folder(const std::string& name) const { return folder() + "/" + name; }
  // Files are sorted with numbers compared as numbers.
  std::string file(std::size_t angle, const std::string& end = ".mda.h5") const {
    return in_folder(numbered("2xfm_", 9 + angle, end));
  }
  void write_maps(MapsFile m = {}, bool with_angles = true) const {
    for (std::size_t a = 0; a < kAngles; ++a) {
      if (with_angles) m.theta = kTheta[a];
      write_maps_file(file(a), a, m);
    }
  }
  std::string refusal(const ScanRequest& request = {"Fe"}) const {
    return error_of([&] { open_scan(folder(), request); });
  }

  TemporaryDirectory directory_;
  std::string angles_;
};

TEST_F(MapFolder, ReadsOneFramePerFileOfXrfMaps) {
  for (const std::string kind : {"Fitted", "NNLS", "ROI"}) {
    MapsFile m;
    m.group = "/MAPS/XRF_Analyzed/" + kind;
    write_maps(m);
    const Scan scan = open_scan(folder(), {"Fe"});
    EXPECT_EQ(scan.format, "XRF-Maps, a folder of files (HDF5)");
    EXPECT_EQ(scan.files.size(), kAngles);
    EXPECT_EQ(scan.elements, (std::vector<std::string>{"Ca", "Fe", "Pt_L"}));
    EXPECT_EQ(scan.scalers, m.scalers);
    EXPECT_EQ(scan.element, "Fe");
    EXPECT_EQ(scan.theta, kTheta);
    EXPECT_EQ(scan.theta_source, "/MAPS/Scan/theta");
    EXPECT_EQ(scan.data->facts().path, m.group + "/Counts_Per_Sec[Fe]");
    EXPECT_EQ(scan.data->facts().units, "cts/s");
    expect_counted(*scan.data, first_value(1));
    ASSERT_TRUE(scan.monitor);
    EXPECT_EQ(scan.monitor->facts().path, "/MAPS/Scalers/Values[US_IC]");
    EXPECT_EQ(scan.monitor->facts().units, "counts");
    expect_counted(*scan.monitor, first_value(kScaler + 1));
  }
}

TEST_F(MapFolder, ExcludesPileUpFromElements) {
  MapsFile m;
  m.channels = {"Si", "Si_Si", "Fe_Ca", "Ca_Mg", "Pb_M",          "Pt_L",  "Fe_Fe",
                "Zn", "s_i",   "s_e",   "total", "Total_Fluor_K", "Ar_Ar", "Num_Iter"};
  write_maps(m);
  EXPECT_EQ(open_scan(folder(), {"Zn"}).elements,
            (std::vector<std::string>{"Si", "Pb_M", "Pt_L", "Zn"}));
  EXPECT_CONTAINS(refusal({"Fe_Ca"}), "expected the element Fe_Ca, found the elements Si, Pb_M");
}

TEST_F(MapFolder, NeedsAnglesForOldMaps) {
  for (const std::string kind : {"/MAPS/XRF_fits", "/MAPS/XRF_roi_plus", "/MAPS/XRF_roi"}) {
    MapsFile m;
    m.group = "";
    m.old = kind;
    m.scalers = {"SRcurrent", "us_ic", "ds_ic"};  // spelling of old files
    write_maps(m, false);
    EXPECT_CONTAINS(refusal({"Ca"}), "maps: angles: expected a file with 4 angles, one per frame");
    const Scan scan = open_scan(folder(), {"Ca", false, angles_});
    EXPECT_EQ(scan.theta, (std::vector<double>{0, 45, 90, 135}));
    EXPECT_EQ(scan.data->facts().path, kind + "[Ca]");
    expect_counted(*scan.data, first_value(0));
    ASSERT_TRUE(scan.monitor);
    expect_counted(*scan.monitor, first_value(kScaler + 1));
  }
}

TEST_F(MapFolder, ReadsTransmissionFromScalers) {
  write_maps();
  const Scan scan = open_scan(folder(), {"DS_IC"});
  EXPECT_EQ(scan.element, "DS_IC");
  expect_counted(*scan.data, first_value(kScaler + 2));
  expect_counted(*scan.monitor, first_value(kScaler + 1));
  EXPECT_FALSE(open_scan(folder(), {"US_IC"}).monitor);
}

TEST_F(MapFolder, NeedsAnExistingElement) {
  write_maps();
  const std::string names = "the elements Ca, Fe, Pt_L; the scalers SR_Current, US_IC, DS_IC";
  EXPECT_CONTAINS(refusal({""}), "an element to be chosen");
  EXPECT_CONTAINS(refusal({""}), names);
  EXPECT_CONTAINS(refusal({"Au"}), "expected the element Au, found " + names);
  EXPECT_CONTAINS(refusal({"pt_l"}), names + " (did you mean Pt_L?)");
  EXPECT_CONTAINS(refusal({"DSIC"}), names + " (did you mean DS_IC?)");
  EXPECT_CONTAINS(refusal({"Num_Iter"}), "expected the element Num_Iter");
  EXPECT_CONTAINS(refusal({"Fe_Fe"}), "expected the element Fe_Fe");
  EXPECT_EQ(open_scan(folder(), {"", true}).element, "Ca");
}

TEST_F(MapFolder, PrefersAnglesOfASeparateFile) {
  write_maps();
  EXPECT_EQ(open_scan(folder(), {"Fe", false, angles_}).theta[1], 45);
  // The program writes this when it does not know the angle.
  MapsFile m;
  m.theta = 0;
  write_maps(m, false);
  EXPECT_CONTAINS(refusal(), "/MAPS/Scan/theta: expected another angle in every file");
  EXPECT_CONTAINS(refusal(), "found 0 in all of them");
  EXPECT_EQ(open_scan(folder(), {"Fe", false, angles_}).theta[1], 45);
}

TEST_F(MapFolder, NamesTheFirstFileThatDiffers) {
  write_maps();
  MapsFile m;
  m.theta = 1;
  m.columns = 4;
  write_maps_file(file(2), 2, m);
  EXPECT_CONTAINS(refusal(),
                  "2xfm_11.mda.h5: /MAPS/XRF_Analyzed/Fitted/Counts_Per_Sec: expected "
                  "maps of 2 x 3 (y, x) as in 2xfm_9.mda.h5, found 2 x 4");
  m.columns = kBeamlets;
  m.channels = {"Ca", "Fe"};
  write_maps_file(file(2), 2, m);
  EXPECT_CONTAINS(refusal(),
                  "2xfm_11.mda.h5: /MAPS/XRF_Analyzed/Fitted/Channel_Names: expected the "
                  "channels of 2xfm_9.mda.h5: Ca, Fe,");
  write_maps();
  m = {};
  write_maps_file(file(3), 3, m);
  EXPECT_CONTAINS(refusal(), "2xfm_12.mda.h5: /MAPS/Scan/theta: expected an angle, found none");
}

TEST_F(MapFolder, IgnoresFilesOfSingleDetectors) {
  write_maps();
  MapsFile m;
  m.theta = 1;
  write_maps_file(file(0, ".mda.h50"), 0, m);
  write_maps_file(file(0, ".mda.h51"), 0, m);
  EXPECT_EQ(open_scan(folder(), {"Fe"}).theta, kTheta);
  std::filesystem::remove(file(0));
  EXPECT_CONTAINS(refusal(), "2xfm_9.mda.h50 and 2xfm_9.mda.h51, of one detector each");
  std::filesystem::remove(file(0, ".mda.h51"));
  EXPECT_EQ(open_scan(folder(), {"Fe"}).theta[0], 1);
}

TEST_F(MapFolder, RefusesOtherFolders) {
  write_maps();
  EXPECT_CONTAINS(
      error_of([&] { open_scan(file(0), {"Fe"}); }),
      "expected a folder with one such file for each angle, found one file of XRF-Maps");
  EXPECT_CONTAINS(refusal({"Fe", false, "", "y:theta:x"}), "axes: expected none");
  write_counted_pages<float>(in_folder("a.tif"), {"w", SAMPLEFORMAT_IEEEFP});
  EXPECT_CONTAINS(refusal(), "a directory with 4 HDF5 files (2xfm_9.mda.h5, 2xfm_10.mda.h5");
  EXPECT_CONTAINS(refusal(), "and 1 TIFF files (a.tif)");
  std::filesystem::remove_all(folder());
  make_directory(folder());
  EXPECT_CONTAINS(refusal(), "a directory without files");
  write_angles(in_folder("notes.txt"));
  EXPECT_CONTAINS(refusal(), "a directory with 1 files of other formats: notes.txt");
  {
    h5::Writer writer(in_folder("x.h5"));
    writer.number("/something", 1, "");
    writer.commit();
  }
  EXPECT_CONTAINS(refusal(),
                  "expected files of XRF-Maps or PyXRF, one for each angle, found a "
                  "directory with 1 HDF5 file; in x.h5: no such dataset");
}

TEST_F(MapFolder, NeedsANamePerChannel) {
  write_maps();
  {
    h5::Writer w(file(0));
    const std::vector<float> values(12);
    w.dataset("/MAPS/XRF_fits", {2, 2, 3}, std::span<const float>(values));
    w.texts("/MAPS/channel_names", {"Fe"});
    w.commit();
  }
  EXPECT_CONTAINS(refusal(),
                  "/MAPS/channel_names: expected 2 names, as in /MAPS/XRF_fits, found 1");
}

// ---- PyXRF

class PyxrfFolder : public MapFolder {
 protected:
  // `scale`: of the angles in the file.
  void write_pyxrf(double scale, PyxrfFile m = {}) const {
    for (std::size_t a = 0; a < kAngles; ++a) {
      m.theta = scale * kTheta[a];
      write_pyxrf_file(file(a), a, m);
    }
  }
};

TEST_F(PyxrfFolder, ReadsOneFramePerFile) {
  write_pyxrf(1000);
  const Scan scan = open_scan(folder(), {"Pt_L"});
  EXPECT_EQ(scan.format, "PyXRF, a folder of files (HDF5)");
  EXPECT_EQ(scan.elements, (std::vector<std::string>{"Fe_K", "Pt_L"}));
  EXPECT_EQ(scan.scalers, (std::vector<std::string>{"sclr1_ch2", "i0"}));
  EXPECT_EQ(scan.theta, kTheta);
  expect_counted(*scan.data, first_value(1));
  ASSERT_TRUE(scan.monitor);
  expect_counted(*scan.monitor, first_value(kScaler + 1));
  expect_counted(*open_scan(folder(), {"sclr1_ch2"}).data, first_value(kScaler));
  EXPECT_CONTAINS(error_of([&] { open_scan(file(0)); }), "one file of PyXRF");
}

TEST_F(PyxrfFolder, ExcludesPileUpFromElements) {
  PyxrfFile m;
  m.channels = {"Fe_K", "Fe_Ka1-Fe_Ka1", "Ca_Ka1-Fe_Ka1", "Pt_La1",  "Au_Lb2",
                "Fe-K", "Gd_Ll",         "Userpeak1",     "compton", "elastic"};
  write_pyxrf(1000, m);
  EXPECT_EQ(open_scan(folder(), {"Fe_K"}).elements,
            (std::vector<std::string>{"Fe_K", "Pt_La1", "Au_Lb2", "Gd_Ll"}));
}

TEST_F(PyxrfFolder, NeedsTheUnitOfItsAngles) {
  PyxrfFile m;
  m.units = "deg";
  write_pyxrf(1, m);
  EXPECT_EQ(open_scan(folder(), {"Fe_K"}).theta, kTheta);
  m.units = "";
  write_pyxrf(1, m);
  EXPECT_CONTAINS(refusal({"Fe_K"}),
                  "/xrfmap/scan_metadata@param_theta_units: expected mdeg or deg, found no units");
  EXPECT_EQ(open_scan(folder(), {"Fe_K", false, angles_}).theta[3], 135);
}

}  // namespace
}  // namespace firm
