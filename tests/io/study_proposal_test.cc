// The study that is proposed for data files, and the files for which there is none.
#include "io/init/study_proposal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "io/study/study_file.h"
#include "support/map_files.h"
#include "support/temporary_directory.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

constexpr std::size_t kFrames = 6;
constexpr std::size_t kWidth = 20;

// The sinogram of a disc: chords, 0 at the edges. Each slice is a little brighter.
float chord(std::size_t slice, std::size_t x) {
  const double t = (static_cast<double>(x) - 9.5) / 6;
  return static_cast<float>((1 + 0.1 * static_cast<double>(slice)) *
                            std::sqrt(std::max(0.0, 1 - t * t)));
}

float whole_chord(std::size_t slice, std::size_t x) { return std::round(1000 * chord(slice, x)); }
float transmission(std::size_t slice, std::size_t x) { return std::exp(-chord(slice, x)); }
float counts(std::size_t slice, std::size_t x) { return 1000 * transmission(slice, x); }

using Value = float (*)(std::size_t, std::size_t);

class Proposal : public ::testing::Test {
 protected:
  Proposal() {
    arguments_.out = directory_ / "study.toml";
    arguments_.energy = 12;
    arguments_.pixel_size = 1e-4;
    write_text_file(directory_ / "angles.txt", "0\n30\n60\n90\n120\n150\n");
  }

  std::string write(const std::string& name, Value value, std::size_t slices = 2,
                    std::size_t width = kWidth) {
    std::vector<float> values;
    for (std::size_t k = 0; k < kFrames * slices * width; ++k) {
      values.push_back(value(k / width % slices, k % width));
    }
    write_npy(directory_ / name, {kFrames, slices, width}, values);
    return directory_ / name;
  }

  StudyFile propose(const std::vector<std::string>& files) {
    arguments_.files = files;
    proposal_ = propose_study(arguments_);
    write_text_file(arguments_.out, proposal_.text);
    return read_study(arguments_.out);
  }
  std::string refusal(const std::vector<std::string>& files) {
    arguments_.files = files;
    return error_of([&] { propose_study(arguments_); });
  }
  // Whether some guess contains all parts.
  bool guessed(const std::vector<std::string>& parts) const {
    return std::ranges::any_of(proposal_.guesses, [&](const std::string& guess) {
      return std::ranges::all_of(
          parts, [&](const std::string& part) { return guess.find(part) != std::string::npos; });
    });
  }

  TemporaryDirectory directory_;
  ProposalArguments arguments_;
  StudyProposal proposal_;
};

TEST_F(Proposal, OfArraysHasElementsOfTheirNamesAndXrtLast) {
  const StudyFile s =
      propose({write("xrt.npy", chord), write("Fe.npy", chord), write("xrf_Ca_K.npy", chord)});
  EXPECT_EQ(s.name, "study");
  EXPECT_EQ(s.rows, 20);
  EXPECT_EQ(s.columns, 20);
  EXPECT_EQ(s.slices, 2);
  EXPECT_EQ(s.pixel_size, 1e-4);
  ASSERT_EQ(s.sites.size(), 3u);
  EXPECT_EQ(s.sites[0].compound, "Fe");
  EXPECT_EQ(s.sites[0].data, "Fe.npy");
  EXPECT_EQ(s.sites[0].angles, "angles.txt");
  EXPECT_EQ(s.sites[0].prepare.scale, 1);
  EXPECT_EQ(s.sites[0].noise, Noise::kEstimated);
  EXPECT_TRUE(s.sites[0].find_rotation_axis);
  EXPECT_EQ(s.sites[1].compound, "Ca");
  EXPECT_EQ(s.sites[2].name, "xrt");
  EXPECT_FALSE(s.sites[2].prepare.minus_log);
  EXPECT_TRUE(proposal_.needs_calibration);
  EXPECT_TRUE(guessed({"Fe: compound = \"Fe\"", "the name of the file"}));
  EXPECT_TRUE(guessed({"Fe: angles = \"angles.txt\"", "beside the data"}));
  EXPECT_TRUE(guessed({"Fe: scale = 1.0", "firm calibrate finds the factor"}));
  EXPECT_CONTAINS(proposal_.text, "# a guess: the name of the file");
}

TEST_F(Proposal, LeavesTheScaleOfCountsOpen) {
  const StudyFile s = propose({write("xrt.npy", chord), write("Fe.npy", whole_chord)});
  EXPECT_TRUE(s.sites[0].prepare.find_scale);
  EXPECT_FALSE(s.sites[0].prepare.scale);
  EXPECT_TRUE(proposal_.needs_calibration);
  EXPECT_TRUE(guessed({"Fe: scale = \"auto\"", "whole numbers", "firm calibrate"}));
}

TEST_F(Proposal, TakesTransmissionsAndCountsForXrt) {
  const StudyFile t = propose({write("Fe.npy", chord), write("a.npy", transmission)});
  EXPECT_EQ(t.sites.at(1).kind, "xrt");
  EXPECT_TRUE(t.sites[1].prepare.minus_log);
  EXPECT_EQ(t.sites[1].prepare.normalize, "none");
  EXPECT_TRUE(guessed({"a: kind = \"xrt\"", "as transmissions have"}));

  // A name with an element does not make transmissions fluorescence.
  EXPECT_EQ(propose({write("Fe.npy", chord), write("Ca.npy", transmission)}).sites.at(1).kind,
            "xrt");

  const StudyFile c = propose({write("Fe.npy", chord), write("a.npy", counts)});
  EXPECT_EQ(c.sites.at(1).kind, "xrt");
  EXPECT_TRUE(c.sites[1].prepare.minus_log);
  EXPECT_EQ(c.sites[1].prepare.normalize, "air");
  EXPECT_EQ(c.sites[1].prepare.air, 1);
}

TEST_F(Proposal, TakesOnlyFileWithoutElementForXrt) {
  const StudyFile s = propose({write("Fe.npy", chord), write("a.npy", chord)});
  EXPECT_EQ(s.sites.at(1).kind, "xrt");
  EXPECT_FALSE(s.sites[1].prepare.minus_log);
  EXPECT_TRUE(guessed({"the only file without an element"}));
  EXPECT_CONTAINS(refusal({write("Fe.npy", chord), write("a.npy", chord), write("b.npy", chord)}),
                  "XRT");
}

TEST_F(Proposal, FindsAxesByTheNumberOfAngles) {
  std::vector<float> values;
  for (std::size_t k = 0; k < 2 * kFrames * kWidth; ++k) {
    values.push_back(chord(k / kWidth / kFrames, k % kWidth));
  }
  write_npy(directory_ / "Fe.npy", {2, kFrames, kWidth}, values);
  {
    TiffWriter<float> writer(directory_ / "xrt.tif", {.format = SAMPLEFORMAT_IEEEFP});
    for (std::size_t slice = 0; slice < 2; ++slice) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(slice * kFrames * kWidth);
      writer.page(kFrames, kWidth, {first, first + kFrames * kWidth});
    }
  }
  const StudyFile s = propose({directory_ / "Fe.npy", directory_ / "xrt.tif"});
  EXPECT_EQ(s.slices, 2);
  EXPECT_EQ(s.sites.at(0).axes, "y:theta:x");
  EXPECT_EQ(s.sites.at(1).axes, "y:theta:x");
  EXPECT_TRUE(guessed({"Fe: axes = \"y:theta:x\"", "with 6 entries, one per angle"}));

  // Two axes of as many entries: the usual order, said as a guess.
  const StudyFile same = propose({write("Fe.npy", chord, 6), write("xrt.npy", chord, 6)});
  EXPECT_EQ(same.sites.at(0).axes, "theta:y:x");
  EXPECT_TRUE(guessed({"several axes"}));
}

TEST_F(Proposal, FindsRadians) {
  write_text_file(directory_ / "angles.txt", "0\n0.5236\n1.0472\n1.5708\n2.0944\n2.618\n");
  EXPECT_EQ(propose({write("xrt.npy", chord)}).sites.at(0).angle_unit, "rad");
  EXPECT_TRUE(guessed({"angle_unit = \"rad\"", "6 angles from 0 to 2.618"}));
  arguments_.hints.angle_unit = "deg";
  EXPECT_EQ(propose({write("xrt.npy", chord)}).sites.at(0).angle_unit, "deg");
}

TEST_F(Proposal, OfXrtAloneNeedsNoEnergy) {
  arguments_.energy.reset();
  const StudyFile s = propose({write("xrt.npy", chord)});
  EXPECT_TRUE(s.other);
  EXPECT_EQ(s.sites.size(), 1u);
  EXPECT_CONTAINS(refusal({write("xrt.npy", chord), write("Fe.npy", chord)}),
                  "firm init: --energy: expected the energy of the XRT beam");
}

Acquisition acquisition(const std::string& title, const std::string& units, Value value) {
  Acquisition a;
  a.title = title;
  a.units = units;
  a.theta = {0, 30, 60, 90, 120, 150};
  a.beamlets = kWidth;
  a.spacing = 2e-4;
  a.rotation_axis = 9.75;
  a.data = Block(kFrames * kWidth, 2);
  for (std::size_t k = 0; k < kFrames * kWidth; ++k) {
    for (std::size_t slice = 0; slice < 2; ++slice) a.data(k, slice) = value(slice, k % kWidth);
  }
  return a;
}

TEST_F(Proposal, TakesFactsOfDataExchange) {
  arguments_.pixel_size.reset();
  write_acquisition(directory_ / "xrf-1.h5", acquisition("Zn, from a test", "ug/cm^2", chord));
  Acquisition raw = acquisition("", "counts", counts);
  raw.white = Block(kWidth, 2);
  for (float& value : raw.white.values()) value = 1000;
  raw.data(3, 0) = 0;
  write_acquisition(directory_ / "b.h5", raw);
  const StudyFile s = propose({directory_ / "xrf-1.h5", directory_ / "b.h5"});
  EXPECT_EQ(s.pixel_size, 2e-4);
  EXPECT_EQ(s.rows, 20);
  EXPECT_EQ(s.sites.at(0).compound, "Zn");
  EXPECT_FALSE(s.sites[0].prepare.scale);
  EXPECT_EQ(s.sites[0].angles, "");
  EXPECT_FALSE(s.sites[0].find_rotation_axis);
  EXPECT_TRUE(s.sites.at(1).prepare.minus_log);
  EXPECT_EQ(s.sites[1].noise, Noise::kCounts);
  EXPECT_EQ(s.sites[1].prepare.bad_values, "mask");
  EXPECT_FALSE(proposal_.needs_calibration);
  // Half the pixel size needs twice the pixels.
  arguments_.pixel_size = 1e-4;
  EXPECT_EQ(propose({directory_ / "xrf-1.h5", directory_ / "b.h5"}).rows, 40);
}

TEST_F(Proposal, MakesSitesOfElementsAndCounterInAFolder) {
  make_directory(directory_ / "maps");
  for (std::size_t k = 0; k < 3; ++k) {
    MapsFile m;
    m.theta = 60 * static_cast<double>(k);
    write_maps_file(numbered(directory_ / "maps/", k, ".h5"), k, m);
  }
  const StudyFile s = propose({directory_ / "maps"});
  ASSERT_EQ(s.sites.size(), 4u);
  EXPECT_EQ(s.sites[0].element, "Ca");
  EXPECT_EQ(s.sites[1].element, "Fe");
  EXPECT_EQ(s.sites[2].element, "Pt_L");
  EXPECT_EQ(s.sites[3].element, "DS_IC");
  EXPECT_EQ(s.sites[3].kind, "xrt");
  EXPECT_TRUE(s.sites[3].prepare.minus_log);
}

TEST_F(Proposal, ImageIsAsWideAsTheWidestDetector) {
  const StudyFile s = propose({write("Fe.npy", chord), write("xrt.npy", chord, 2, 26)});
  EXPECT_EQ(s.rows, 26);
  EXPECT_TRUE(guessed({"rows = 26", "xrt.npy"}));
}

TEST_F(Proposal, RefusesFilesThatMakeNoStudy) {
  const std::string fe = write("Fe.npy", chord);
  const std::string xrt = write("xrt.npy", chord);
  EXPECT_CONTAINS(refusal({fe, write("Ca.npy", chord)}), "found XRF only: " + fe);
  EXPECT_CONTAINS(refusal({fe, xrt, write("b.npy", transmission)}),
                  "found 2 of them: " + xrt + ", " + directory_ / "b.npy");
  EXPECT_CONTAINS(refusal({xrt, write("xrf-1.npy", chord)}), "xrf-1.npy: element: expected");
  EXPECT_CONTAINS(refusal({write("Zn.npy", chord, 3), xrt}), "expected 2 slices, as " + xrt);
  write_text_file(directory_ / "notes.npy", "no array");
  EXPECT_CONTAINS(refusal({xrt, directory_ / "notes.npy"}), "notes.npy: expected an HDF5 file");
  EXPECT_CONTAINS(refusal({xrt, directory_ / "none.npy"}), "none.npy: expected");
  arguments_.pixel_size.reset();
  EXPECT_CONTAINS(refusal({fe, xrt}), "--pixel-size: expected the distance between beamlets");
}

TEST_F(Proposal, NeedsAngles) {
  const std::string xrt = write("xrt.npy", chord);
  std::filesystem::rename(directory_ / "angles.txt", directory_ / "other.txt");
  EXPECT_CONTAINS(refusal({xrt}), "expected a file with 6 angles");
  arguments_.hints.angles = directory_ / "other.txt";
  EXPECT_EQ(propose({xrt}).sites.at(0).angles, "other.txt");
  EXPECT_FALSE(guessed({"angles ="}));
  write_text_file(directory_ / "other.txt", "0\n1\n2\n");
  EXPECT_CONTAINS(refusal({xrt}), "expected 6 angles, one per frame of array, found 3");
}

TEST_F(Proposal, NamesOfFilesAreRelativeToTheStudy) {
  make_directory(directory_ / "studies");
  arguments_.out = directory_ / "studies/a.toml";
  arguments_.name = "leaf";
  const StudyFile s = propose({write("xrt.npy", chord)});
  EXPECT_EQ(s.name, "leaf");
  EXPECT_EQ(s.sites.at(0).data, "../xrt.npy");
  EXPECT_EQ(s.sites[0].angles, "../angles.txt");
}

}  // namespace
}  // namespace firm
