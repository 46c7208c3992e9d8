#include "report/pictures/reconstruction_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "firm/error.h"
#include "support/full_disk.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

const ImageGrid kGrid{6, 5, 1e-4};

Block ramp(std::size_t slices) {
  Block images(kGrid.rows * kGrid.columns, slices);
  for (std::size_t k = 0; k < images.size(); ++k) images.data()[k] = static_cast<float>(k);
  return images;
}

// All files below a directory, relative to it.
std::set<std::string> files_in(const std::string& directory) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), directory).string());
  }
  return files;
}

class ReconstructionFiles : public ::testing::Test {
 protected:
  void write(const std::string& run, const Progress& progress = {}) {
    write_reconstruction(
        directory_ / run, kGrid,
        {{"xrf-1", "density", "g/cm^3", &xrf_}, {"xrt", "attenuation", "1/cm", &xrt_}},
        {"[study]\n", "{}"}, progress);
  }

  TemporaryDirectory directory_;
  Block xrf_ = ramp(2);
  Block xrt_ = ramp(2);
};

TEST_F(ReconstructionFiles, AreExactlyTheDocumentedOnes) {
  write("deep/run");
  EXPECT_EQ(files_in(directory_ / "deep/run"),
            (std::set<std::string>{
                "images.h5", "recon/xrf-1_rec/recon_00000.tiff", "recon/xrf-1_rec/recon_00000.png",
                "recon/xrf-1_rec/recon_00001.tiff", "recon/xrf-1_rec/recon_00001.png",
                "recon/xrt_rec/recon_00000.tiff", "recon/xrt_rec/recon_00000.png",
                "recon/xrt_rec/recon_00001.tiff", "recon/xrt_rec/recon_00001.png"}));
  EXPECT_EQ(read_images(directory_ / "deep/run/images.h5", "xrt", kGrid, 2)(7, 1), xrt_(7, 1));
}

TEST_F(ReconstructionFiles, AreReproducible) {
  write("a");
  write("b");
  write("b");
  for (const std::string& file : files_in(directory_ / "a")) {
    EXPECT_EQ(file_content(directory_ / "a/" + file), file_content(directory_ / "b/" + file))
        << file;
  }
}

// All slices share one colour range, so a slice written alone has other colours.
TEST_F(ReconstructionFiles, ShareOneColourRange) {
  write("both");
  for (float& v : xrt_.values()) v = 0;
  for (std::size_t p = 0; p < xrt_.rows(); ++p) xrt_(p, 0) = ramp(2)(p, 0);
  write("other");
  const std::string picture = "/recon/xrt_rec/recon_00000.png";
  const std::string image = "/recon/xrt_rec/recon_00000.tiff";
  EXPECT_EQ(file_content(directory_ / "both" + image), file_content(directory_ / "other" + image));
  EXPECT_NE(file_content(directory_ / "both" + picture),
            file_content(directory_ / "other" + picture));
}

TEST_F(ReconstructionFiles, DescribeTiffsAsImageJDoes) {
  write("run");
  const std::string tiff = file_content(directory_ / "run/recon/xrf-1_rec/recon_00001.tiff");
  EXPECT_CONTAINS(tiff, "ImageJ=");
  EXPECT_CONTAINS(tiff, "\nunit=um\nvunit=g/cm^3\nsite=xrf-1\nslice=1\nquantity=density\n");
}

TEST_F(ReconstructionFiles, ReportProgress) {
  std::vector<double> parts;
  write("run", [&](const std::string& stage, double part) {
    EXPECT_EQ(stage.rfind("writ", 0), 0u);
    parts.push_back(part);
  });
  ASSERT_GE(parts.size(), 4u);
  EXPECT_EQ(parts.front(), 0);
  EXPECT_EQ(parts[1], 0.2);
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_EQ(parts.back(), 1);
}

TEST_F(ReconstructionFiles, StayWithinRunDirectory) {
  const std::string text = error_of([&] {
    write_reconstruction(directory_ / "run", kGrid, {{"../evil", "density", "1", &xrf_}}, {});
  });
  EXPECT_CONTAINS(text, "found '../evil'");
  EXPECT_TRUE(files_in(directory_.path()).empty());
}

TEST_F(ReconstructionFiles, AreNotWrittenWhenDiskIsFull) {
  for (const std::uint64_t bytes : std::vector<std::uint64_t>{0, 1000}) {
    const std::string run = "run" + std::to_string(bytes);
    EXPECT_CONTAINS(error_on_full_disk(bytes, [&] { write(run); }), "images.h5: ");
    EXPECT_TRUE(files_in(directory_ / run).empty());
  }
}

// A directory with the name of a picture makes writing fail; files written before are complete.
TEST_F(ReconstructionFiles, NameFailingFileInError) {
  write("whole");
  fs::create_directories(directory_ / "run/recon/xrt_rec/recon_00001.png");
  EXPECT_CONTAINS(error_of([&] { write("run"); }),
                  "run/recon/xrt_rec/recon_00001.png: expected a file that can be written");
  const std::set<std::string> files = files_in(directory_ / "run");
  EXPECT_TRUE(files.contains("images.h5"));
  EXPECT_TRUE(files.contains("recon/xrf-1_rec/recon_00001.png"));
  for (const std::string& file : files) {
    EXPECT_EQ(file_content(directory_ / "run/" + file), file_content(directory_ / "whole/" + file))
        << file;
  }
}

}  // namespace
}  // namespace firm
