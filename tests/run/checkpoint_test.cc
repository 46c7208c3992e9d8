// Damaged checkpoints are refused; none crashes the program.
#include "run/store/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "io/hdf5/hdf5.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr std::size_t kFlips = 60;

class DamagedCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override {
    write_checkpoint(path_, "identity\n", 7, [&](Archive& archive) {
      archive.values("w", std::span(floats_));
      archive.values("y", std::span(doubles_));
    });
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  TemporaryDirectory directory_;
  std::string path_ = directory_ / "c.h5";
  std::vector<float> floats_ = {1, 2, 3};
  std::vector<double> doubles_ = {4, 5};
};

TEST_F(DamagedCheckpoint, IsReadOrRefused) {
  ASSERT_EQ(intact_checkpoint(path_), 7);
  const std::string whole = file_content(path_);
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (std::size_t k = 0; k < kFlips; ++k) {
    SCOPED_TRACE(k);
    std::string bytes = whole;
    // Damages the beginning in half of the cases: most headers are there.
    const std::size_t end = k % 2 == 0 ? bytes.size() : std::min<std::size_t>(300, bytes.size());
    for (std::size_t n = 0; n < 1 + k % 3; ++n) {
      char& byte = bytes[random() % end];
      byte = static_cast<char>(byte ^ (1 << (random() % 8)));
    }
    write(bytes);
    const bool intact = intact_checkpoint(path_).has_value();
    try {
      const Checkpoint checkpoint(path_, "identity\n");
      EXPECT_TRUE(intact);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST_F(DamagedCheckpoint, RefusesRoundThatIsNoNumberOfRound) {
  for (const double round : {-1.0, 1e300}) {
    {
      h5::Writer writer(path_);
      writer.text("/identity", "identity\n");
      writer.number("/round", round, "1");
      writer.text("/names", "");
      writer.text("/sha256", "0");
      writer.commit();
    }
    EXPECT_FALSE(intact_checkpoint(path_));
    EXPECT_CONTAINS(error_of([&] { Checkpoint(path_, "identity\n"); }),
                    "c.h5: /round: expected the number of a round, found ");
  }
}

}  // namespace
}  // namespace firm
