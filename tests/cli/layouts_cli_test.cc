// Writes one phantom in every supported format; all give the same images, to the bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/formats/data_exchange.h"
#include "io/hdf5/hdf5.h"
#include "io/study/study_file.h"
#include "support/command_line.h"
#include "support/scan_files.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

constexpr const char* kElements[] = {"Ca", "Fe", "Zn"};

class FileLayouts : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("simulate --out study --size 20 --angles 7 --slices 2 --noise 0.01").code, 0);
    file_ = read_study(directory_ / "study/study.toml");
    for (const SiteEntry& site : file_.sites) {
      scans_.push_back(read_acquisition(directory_ / ("study/" + site.data)));
    }
    ASSERT_EQ(run("recon study/study.toml --out run").code, 0);
  }

  const Acquisition& scan(std::size_t site) const { return scans_[site]; }
  std::size_t angles() const { return scans_[0].theta.size(); }
  std::size_t slices() const { return scans_[0].data.columns(); }
  std::size_t beamlets() const { return static_cast<std::size_t>(scans_[0].beamlets); }
  std::size_t frame_size() const { return slices() * beamlets(); }

  // Values of one angle in the order (y, x).
  std::vector<float> frame(std::size_t site, std::size_t angle) const {
    std::vector<float> values;
    for (std::size_t y = 0; y < slices(); ++y) {
      for (std::size_t x = 0; x < beamlets(); ++x) {
        values.push_back(scan(site).data(angle * beamlets() + x, y));
      }
    }
    return values;
  }
  // Values in the order (theta, y, x).
  std::vector<float> frames(std::size_t site) const {
    std::vector<float> values;
    for (std::size_t a = 0; a < angles(); ++a) {
      for (const float value : frame(site, a)) values.push_back(value);
    }
    return values;
  }

  void put_angles(h5::Writer& w, const std::string& path) const {
    w.dataset(path, {angles()}, std::span<const double>(scans_[0].theta));
  }
  void put_frames(h5::Writer& w, const std::string& path, std::size_t site) const {
    const std::vector<float> values = frames(site);
    w.dataset(path, {angles(), slices(), beamlets()}, std::span<const float>(values));
  }
  void write_angle_file() {
    std::ofstream file(directory_ / "study/angles.txt");
    for (const double angle : scans_[0].theta) file << fmt::format("{}\n", angle);
  }

  // Writes maps of all three elements, one file per angle.
  void write_folder(const std::string& folder, const std::string& maps, const std::string& names,
                    const std::function<void(h5::Writer&, std::size_t)>& put_angle) {
    std::filesystem::create_directory(directory_ / folder);
    for (std::size_t a = 0; a < angles(); ++a) {
      h5::Writer w(directory_ / fmt::format("{}/scan_{:03}.h5", folder, a));
      std::vector<float> values;
      for (std::size_t site = 0; site < 3; ++site) {
        for (const float value : frame(site, a)) values.push_back(value);
      }
      w.dataset(maps, {3, slices(), beamlets()}, std::span<const float>(values));
      w.texts(names, {kElements[0], kElements[1], kElements[2]});
      put_angle(w, a);
      w.commit();
    }
  }

  // The study with other files must give the same images as the simulated one.
  void expect_same_images(const std::string& name,
                          const std::function<void(SiteEntry&, std::size_t)>& change) {
    StudyFile file = file_;
    for (std::size_t k = 0; k < file.sites.size(); ++k) {
      SiteEntry& site = file.sites[k];
      site.spacing = scan(k).spacing;  // missing in most formats
      site.rotation_axis = scan(k).rotation_axis;
      // Files without a unit are taken for counts; these have g/cm^2.
      if (site.kind == "xrf") site.prepare.scale = 1;
      change(site, k);
    }
    write_study(directory_ / ("study/" + name + ".toml"), file);
    const Outcome outcome = run(fmt::format("recon study/{0}.toml --out run-{0}", name));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const SiteEntry& site : file.sites) {
      for (std::size_t z = 0; z < slices(); ++z) {
        const std::string image = fmt::format("recon/{}_rec/recon_{:05}.tiff", site.name, z);
        EXPECT_EQ(file_content(directory_ / fmt::format("run-{}/{}", name, image)),
                  file_content(directory_ / ("run/" + image)))
            << name << " " << image;
      }
    }
  }

  StudyFile file_;
  std::vector<Acquisition> scans_;
};

TEST_F(FileLayouts, XrfTomo) {
  h5::Writer w(directory_ / "study/elements.h5");
  std::vector<float> values;
  for (std::size_t site = 0; site < 3; ++site) {
    for (const float value : frames(site)) values.push_back(value);
  }
  w.dataset("/data", {3, angles(), slices(), beamlets()}, std::span<const float>(values));
  w.texts("/elements", {kElements[0], kElements[1], kElements[2]});
  put_angles(w, "/thetas");
  w.commit();
  expect_same_images("xrftomo", [](SiteEntry& site, std::size_t k) {
    if (k == 3) return;
    site.data = "elements.h5";
    site.element = kElements[k];
  });
}

TEST_F(FileLayouts, NxTomo) {
  for (const std::string entry : {"/entry", "/entry1/tomo_entry"}) {
    for (std::size_t site = 0; site < 4; ++site) {
      h5::Writer w(directory_ / fmt::format("study/{}.nxs", site));
      put_frames(w, entry + "/instrument/detector/data", site);
      w.attribute(entry + "/instrument/detector/data", "units", scan(site).units);
      const std::vector<double> keys(angles(), 0.0);
      w.dataset(entry + "/instrument/detector/image_key", {angles()},
                std::span<const double>(keys));
      put_angles(w, entry + "/sample/rotation_angle");
      w.commit();
    }
    expect_same_images(
        entry == "/entry" ? "nxtomo" : "diamond",
        [](SiteEntry& site, std::size_t k) { site.data = fmt::format("{}.nxs", k); });
  }
}

TEST_F(FileLayouts, Maps) {
  write_folder("study/maps", "/MAPS/XRF_Analyzed/Fitted/Counts_Per_Sec",
               "/MAPS/XRF_Analyzed/Fitted/Channel_Names", [&](h5::Writer& w, std::size_t a) {
                 w.dataset("/MAPS/Scan/theta", {1}, std::span(&scan(0).theta[a], 1));
               });
  expect_same_images("maps", [](SiteEntry& site, std::size_t k) {
    if (k == 3) return;
    site.data = "maps";
    site.element = kElements[k];
  });
}

TEST_F(FileLayouts, Pyxrf) {
  write_angle_file();
  write_folder("study/pyxrf", "/xrfmap/detsum/xrf_fit", "/xrfmap/detsum/xrf_fit_name",
               [](h5::Writer&, std::size_t) {});
  expect_same_images("pyxrf", [](SiteEntry& site, std::size_t k) {
    if (k == 3) return;
    site.data = "pyxrf";
    site.element = kElements[k];
    site.angles = "angles.txt";
  });
}

TEST_F(FileLayouts, TiffStack) {
  write_angle_file();
  for (std::size_t site = 0; site < 4; ++site) {
    TiffWriter<float> writer(directory_ / fmt::format("study/{}.tif", site),
                             {.format = SAMPLEFORMAT_IEEEFP});
    for (std::size_t a = 0; a < angles(); ++a) writer.page(slices(), beamlets(), frame(site, a));
  }
  expect_same_images("tiff", [](SiteEntry& site, std::size_t k) {
    site.data = fmt::format("{}.tif", k);
    site.angles = "angles.txt";
  });
}

TEST_F(FileLayouts, Npy) {
  write_angle_file();
  for (std::size_t site = 0; site < 4; ++site) {
    std::string bytes;
    for (std::size_t y = 0; y < slices(); ++y) {
      for (std::size_t a = 0; a < angles(); ++a) {
        for (std::size_t x = 0; x < beamlets(); ++x) {
          bytes += bytes_of(scan(site).data(a * beamlets() + x, y));
        }
      }
    }
    const std::string shape = fmt::format("({}, {}, {})", slices(), angles(), beamlets());
    write_bytes(directory_ / fmt::format("study/{}.npy", site),
                npy(1, npy_header("<f4", shape), bytes));
  }
  expect_same_images("npy", [](SiteEntry& site, std::size_t k) {
    site.data = fmt::format("{}.npy", k);
    site.angles = "angles.txt";
    site.axes = "y:theta:x";
  });
}

}  // namespace
}  // namespace firm
