// Truncated files and files with flipped bits are read, or refused with a firm::Error; none crashes
// the program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <random>

#include "core/interruption.h"
#include "firm/error.h"
#include "io/files/angle_file.h"
#include "io/files/crash_guard.h"
#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "io/hdf5_variants.h"
#include "support/map_files.h"
#include "support/temporary_directory.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

constexpr std::size_t kLengths = 100;
constexpr std::size_t kFlips = 250;

class DamagedScan : public ::testing::Test {
 protected:
  DamagedScan() : angles_(write_angles(directory_ / "angles.txt")) {}

  enum Outcome { kRead, kRefused, kWrong, kKilled };

  static Outcome outcome_of(const std::function<void()>& read) {
    try {
      read();
      return kRead;
    } catch (const Error&) {
      return kRefused;
    } catch (const std::exception& e) {
      ADD_FAILURE() << "neither read nor refused: " << e.what();
      return kWrong;
    }
  }

  // Reads in a child process.
  static Outcome outcome_there(const std::function<void()>& read) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(outcome_of(read));
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > kWrong) return kKilled;
    const auto outcome = static_cast<Outcome>(WEXITSTATUS(status));
    EXPECT_NE(outcome, kWrong);
    return outcome;
  }

  // Replaces `file` by damaged versions and reads them. Returns how many crashed the process.
  static std::size_t damage(const std::string& file, const std::function<void()>& read,
                            bool hdf5 = false) {
    const std::string whole = file_content(file);
    EXPECT_EQ(outcome_of(read), kRead);
    std::size_t outcomes[4] = {};
    const auto try_bytes = [&](const std::string& bytes) {
      write_bytes(file, bytes);
      ++outcomes[hdf5 ? outcome_there(read) : outcome_of(read)];
    };
    const std::size_t step = std::max<std::size_t>(1, whole.size() / kLengths);
    for (std::size_t kept = 0; kept < whole.size(); kept += step) {
      try_bytes(whole.substr(0, kept));
    }
    EXPECT_GT(outcomes[kRefused], 0u);
    EXPECT_EQ(outcomes[kKilled], 0u) << "by files that are cut off";
    std::mt19937 random(1);
    for (std::size_t k = 0; k < kFlips; ++k) {
      std::string bytes = whole;
      // Damages the beginning in half of the cases: most headers are there.
      const std::size_t end = k % 2 == 0 ? bytes.size() : std::min<std::size_t>(300, bytes.size());
      for (std::size_t n = 0; n < 1 + k % 3; ++n) {
        char& byte = bytes[random() % end];
        byte = static_cast<char>(byte ^ (1 << (random() % 8)));
      }
      SCOPED_TRACE(k);
      try_bytes(bytes);
    }
    write_bytes(file, whole);
    return outcomes[kKilled];
  }

  void read_scan(const std::string& path, const ScanRequest& request) const {
    const Scan scan = open_scan(path, request);
    for (const auto* frames : {&scan.data, &scan.white, &scan.dark, &scan.monitor}) {
      if (*frames) (*frames)->read({0, 1, 0, (*frames)->slices()});
    }
    read_block(*scan.data);
  }

  TemporaryDirectory directory_;
  std::string angles_;
};

TEST_F(DamagedScan, DataExchangeIsReadOrRefused) {
  Acquisition a;
  a.title = "an example";
  a.units = "counts";
  a.theta = {0, 1, 2, 3};
  a.beamlets = 3;
  a.spacing = 1e-4;
  a.rotation_axis = 1.5;
  a.data = Block(12, 2);
  a.white = Block(6, 2);
  a.dark = Block(3, 2);
  write_acquisition(directory_ / "a.h5", a);
  const auto read = [&] { read_scan(directory_ / "a.h5", {}); };
  EXPECT_EQ(damage(directory_ / "a.h5", read, true), 0u);
}

TEST_F(DamagedScan, CompressedChunksAreReadOrRefused) {
  {
    Hdf5Variant file(directory_ / "a.h5");
    const std::vector<double> values(24, 7);
    file.numbers("/exchange/data", {4, 2, 3}, values, {H5T_STD_U16LE, {1, 2, 3}, 6});
    file.numbers("/exchange/theta", {4}, {0, 1, 2, 3}, {H5T_IEEE_F64LE, {4}, 1});
    file.attribute("/exchange/data", "axes", {"theta", "y", "x"}, H5T_STR_SPACEPAD);
  }
  const auto read = [&] { read_scan(directory_ / "a.h5", {}); };
  EXPECT_EQ(damage(directory_ / "a.h5", read, true), 0u);
}

TEST_F(DamagedScan, XrfMapsIsReadOrRefused) {
  const std::string folder = directory_ / "maps";
  make_directory(folder);
  for (std::size_t k = 0; k < 3; ++k) {
    MapsFile m;
    m.theta = static_cast<double>(k);
    write_maps_file(numbered(folder + "/", k, ".h5"), k, m);
  }
  EXPECT_EQ(damage(
                folder + "/1.h5", [&] { read_scan(folder, {"Fe"}); }, true),
            0u);
}

TEST_F(DamagedScan, NumPyIsReadOrRefused) {
  std::string values(4 * 2 * 3 * 4, '\1');
  const std::string file = directory_ / "a.npy";
  write_bytes(file, npy(1, npy_header("<f4", "(4, 2, 3)"), values));
  damage(file, [&] { read_scan(file, {"", false, angles_}); });
}

TEST_F(DamagedScan, TiffIsReadOrRefused) {
  const std::string file = directory_ / "a.tif";
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
    for (const bool tiles : {false, true}) {
      TiffKind kind;
      kind.compression = static_cast<std::uint16_t>(compression);
      kind.tiles = tiles;
      write_counted_pages<std::uint16_t>(file, kind);
      damage(file, [&] { read_scan(file, {"", false, angles_}); });
    }
  }
}

TEST_F(DamagedScan, AnglesAreReadOrRefused) {
  damage(angles_, [&] { read_angles(angles_); });
  const std::string file = directory_ / "angles.npy";
  write_bytes(file, npy(1, npy_header("<f8", "(2,)"), std::string(16, '\1')));
  damage(file, [&] { read_angles(file); });
}

TEST(CrashGuard, DetectsCrashesAndHangs) {
  EXPECT_TRUE(survives_in_child([] {}));
  EXPECT_TRUE(survives_in_child([] { throw data_error({"a", "b", "c", "d"}); }));
  EXPECT_FALSE(survives_in_child([] { std::raise(SIGSEGV); }));
  EXPECT_FALSE(survives_in_child([] { std::abort(); }));
  EXPECT_FALSE(survives_in_child([] { ::pause(); }, {0.05, 0.05}));
}

// The limit is that of a test that hangs.
TEST(CrashGuard, EndsOnInterruption) {
  const InterruptionScope scope([] { return true; });
  EXPECT_THROW(survives_in_child([] { ::pause(); }, {600}), Interrupted);
}

}  // namespace
}  // namespace firm
