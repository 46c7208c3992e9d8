// Reads raw frames in pieces, and averages beamlets and rows.
#include "prep/steps/binning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace firm {
namespace {

// ---- binning

TEST(Binning, AveragesBeamletsAndRows) {
  constexpr std::size_t kFrames = 2;
  constexpr std::size_t kBeamlets = 7;  // one remains
  std::vector<float> raw(kFrames * 4 * kBeamlets);
  std::iota(raw.begin(), raw.end(), 0.0f);
  const auto at = [&](std::size_t f, std::size_t y, std::size_t x) {
    return raw[(f * 4 + y) * kBeamlets + x];
  };
  BinnedFrames out{Block(3 * 3, 2), {}, {}};
  bin_frames({raw, {1, kFrames, 0, 4}, kBeamlets}, {0, 2, 2}, out);
  for (std::size_t f = 0; f < kFrames; ++f) {
    for (std::size_t z = 0; z < 2; ++z) {
      for (std::size_t x = 0; x < 3; ++x) {
        const float mean = (at(f, 2 * z, 2 * x) + at(f, 2 * z, 2 * x + 1) +
                            at(f, 2 * z + 1, 2 * x) + at(f, 2 * z + 1, 2 * x + 1)) /
                           4;
        EXPECT_FLOAT_EQ(out.values((1 + f) * 3 + x, z), mean);
      }
    }
  }
  EXPECT_EQ(out.values(0, 0), 0.0f);  // frame 0 was not written
}

TEST(Binning, OfOneKeepsValues) {
  const std::vector<float> raw = {1, 2, 3, 4, 5, 6};
  BinnedFrames out{Block(3, 2), {}, {}};
  bin_frames({raw, {0, 1, 0, 2}, 3}, {0, 2, 1}, out);
  EXPECT_EQ(out.values(1, 0), 2.0f);
  EXPECT_EQ(out.values(1, 1), 5.0f);
}

TEST(Binning, FindsSaturatedValuesBeforeAveraging) {
  const std::vector<float> raw = {1, 65535, 1, 1, 2, 2, 65534, 2};
  BinnedFrames out{Block(2, 1), std::vector<std::uint8_t>(2), {}};
  bin_frames({raw, {0, 1, 0, 2}, 4}, {0, 1, 2, 65535.0}, out);
  EXPECT_EQ(out.saturated, (std::vector<std::uint8_t>{1, 0}));
}

// Frames in memory, with chunks of a given size.
class StoredFrames : public Frames {
 public:
  StoredFrames(std::size_t frames, std::size_t slices, std::size_t beamlets, std::size_t chunk)
      : Frames(facts(frames, slices, beamlets, chunk)) {
    values.resize(frames * slices * beamlets);
    std::iota(values.begin(), values.end(), 1.0f);
  }

  std::vector<float> read(const FrameBox& box) const override {
    std::vector<float> out;
    for (std::size_t f = 0; f < box.frames; ++f) {
      const std::size_t row = (box.first_frame + f) * slices() + box.first_slice;
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * beamlets());
      out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(box.slices * beamlets()));
    }
    return out;
  }
  float& at(std::size_t frame, std::size_t slice, std::size_t beamlet) {
    return values[(frame * slices() + slice) * beamlets() + beamlet];
  }

  std::vector<float> values;

 private:
  static Facts facts(std::size_t frames, std::size_t slices, std::size_t beamlets,
                     std::size_t chunk) {
    Facts f;
    f.frames = frames;
    f.slices = slices;
    f.beamlets = beamlets;
    f.chunk = chunk;
    return f;
  }
};

TEST(Binning, FindsStuckBeamletsBeforeAveraging) {
  StoredFrames frames(4, 2, 8, 1);
  for (std::size_t f = 0; f < 4; ++f) {
    frames.at(f, 1, 2) = 65535;  // beside beamlets that respond
    frames.at(f, 0, 6) = 0;
  }
  const BinnedFrames binned = read_binned(frames, {0, 1, 2, {}, true});
  EXPECT_EQ(binned.stuck,
            (std::vector<Stuck>{Stuck::kNo, Stuck::kAtValue, Stuck::kNo, Stuck::kAtZero}));
  EXPECT_TRUE(read_binned(frames, {0, 1, 2}).stuck.empty());
}

// ---- pieces

std::size_t values_of(const FrameBox& box, std::size_t beamlets) {
  return box.frames * box.slices * beamlets;
}

TEST(Pieces, AreSmallAndComplete) {
  constexpr std::size_t kMost = 8 * (std::size_t{32} << 20) / sizeof(float);
  struct Case {
    std::size_t frames, slices, beamlets, chunk, unit;
  };
  const Case cases[] = {{1800, 2048, 2048, 1, 1},    {1800, 2048, 2048, 1800, 1},
                        {1800, 2048, 2048, 64, 4},   {181, 3, 200, 181, 3},
                        {1800, 2046, 20480, 900, 3}, {1, 1, 1, 1, 1}};
  for (const Case& c : cases) {
    struct Described : Frames {
      using Frames::Frames;
      std::vector<float> read(const FrameBox&) const override { return {}; }
    };
    Frames::Facts facts;
    facts.frames = c.frames;
    facts.slices = c.slices + 5;
    facts.beamlets = c.beamlets;
    facts.chunk = c.chunk;
    std::size_t all = 0;
    for (const FrameBox& box : pieces_of(Described(facts), 5, c.slices, c.unit)) {
      EXPECT_LE(values_of(box, c.beamlets), kMost);
      EXPECT_EQ(box.slices % c.unit, 0u);
      EXPECT_EQ(box.first_frame % c.chunk, 0u);
      EXPECT_GE(box.first_slice, 5u);
      EXPECT_LE(box.first_slice + box.slices, 5 + c.slices);
      all += values_of(box, c.beamlets);
    }
    EXPECT_EQ(all, c.frames * c.slices * c.beamlets);
  }
}

// 120 frames of 2.5 MiB in one chunk: more than is read at once.
TEST(Pieces, GiveEqualValuesForAnyChunks) {
  const StoredFrames plain(120, 6, 110'000, 1);
  StoredFrames stored(120, 6, 110'000, 120);
  ASSERT_GT(pieces_of(stored, 0, 6, 2).size(), 1u);
  ASSERT_LT(pieces_of(stored, 0, 6, 2).front().slices, 6u);
  const BinnedFrames one = read_binned(plain, {0, 3, 2, 1e6, true});
  const BinnedFrames two = read_binned(stored, {0, 3, 2, 1e6, true});
  EXPECT_TRUE(std::ranges::equal(one.values.values(), two.values.values()));
  EXPECT_EQ(one.saturated, two.saturated);
  EXPECT_EQ(one.stuck, two.stuck);
}

}  // namespace
}  // namespace firm
