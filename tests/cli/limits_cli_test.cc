// Limits of the machine and of the user's patience: file sizes, locks, pipes, signals in set-up.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "core/child_process.h"
#include "core/timing.h"
#include "io/files/pending_file.h"
#include "support/command_line.h"
#include "support/scan_files.h"

namespace firm {
namespace {

class Limits : public CommandLine {
 protected:
  // A study of one XRF site and XRT whose rays are few but whose image is large.
  void make_large_study(const std::string& name, int rows, int columns, std::size_t angles,
                        const std::string& more = "") {
    constexpr std::size_t kBeamlets = 512;
    std::vector<float> values(angles * kBeamlets);
    std::string degrees;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double x = (static_cast<double>(k % kBeamlets) - 256.0) / 200;
      values[k] = static_cast<float>(std::max(0.0, 1 - x * x) + 1e-3 * static_cast<double>(k % 7));
    }
    for (std::size_t k = 0; k < angles; ++k) {
      degrees += fmt::format("{}\n", 180.0 * static_cast<double>(k) / static_cast<double>(angles));
    }
    std::filesystem::create_directory(directory_ / name);
    write_npy(directory_ / (name + "/a.npy"), {angles, 1, kBeamlets}, values);
    write_text_file(directory_ / (name + "/angles.txt"), degrees);
    const std::string site =
        "data = \"a.npy\"\nangles = \"angles.txt\"\nspacing = \"1 um\"\n" + more;
    write_text_file(
        directory_ / (name + "/study.toml"),
        fmt::format("[study]\nname = \"large\"\n[image]\nrows = {}\ncolumns = {}\nslices = 1\n"
                    "pixel_size = \"1 um\"\n"
                    "[[site]]\nname = \"xrf\"\nkind = \"xrf\"\ncoefficient = 10.0\nscale = 1.0\n{}"
                    "[[site]]\nname = \"xrt\"\nkind = \"xrt\"\n{}",
                    rows, columns, site, site));
  }

  // Expects that the run ends soon after a signal, with exit code 5 and no results. The signal
  // comes `after` seconds, counted from when the file `mark` is there, if it is given.
  void expect_ends(const std::string& name, double after, int signal,
                   const std::vector<std::string>& more = {}, const std::string& mark = "") {
    std::filesystem::remove_all(directory_ / "run");
    std::vector<std::string> command = {
        FIRM_PROGRAM,       "recon",      directory_ / (name + "/study.toml"), "--out",
        directory_ / "run", "--overwrite"};
    command.insert(command.end(), more.begin(), more.end());
    ChildProcess child(command);
    // The study is written once the data has been read and the matrix is made.
    const Stopwatch patience;
    while (!mark.empty() && !std::filesystem::exists(directory_ / mark) && child.running() &&
           patience.seconds() < 300) {
      EXPECT_FALSE(child.wait(0.02)) << child.output();
    }
    EXPECT_FALSE(child.wait(after)) << "the set-up is too short to test: " << child.output();
    const Stopwatch watch;
    child.send(signal);
    const std::optional<int> code = child.wait(60);
    fmt::print("ended {:.2f} s after the signal\n", watch.seconds());
    EXPECT_EQ(code, 5) << child.output();
    EXPECT_LT(watch.seconds(), 15) << child.output();
    EXPECT_FALSE(std::filesystem::exists(directory_ / "run/summary.json"));
  }
};

TEST_F(Limits, FileSizeLimitIsLikeAFullDisk) {
  make_study();
  const Outcome outcome = run("recon study/study.toml --out run", "ulimit -f 4;");
  expect_error(outcome, 3, "");
  EXPECT_CONTAINS(outcome.err, "File too large");
  EXPECT_EQ(run("recon study/study.toml --out run --resume").code, 0);
  ASSERT_EQ(run("recon study/study.toml --out reference").code, 0);
  EXPECT_EQ(file_content(directory_ / "run/recon/xrt_rec/recon_00000.tiff"),
            file_content(directory_ / "reference/recon/xrt_rec/recon_00000.tiff"));
}

TEST_F(Limits, FileSystemWithoutLocksIsAnError) {
  make_study();
  const auto library =
      std::filesystem::path(FIRM_KILL_LIBRARY).parent_path() / "libfirm_no_locks.so";
  // HDF5 has locks of its own.
  const std::string before = "HDF5_USE_FILE_LOCKING=FALSE LD_PRELOAD='" + library.string() + "'";
  const Outcome outcome = run("recon study/study.toml --out run", before);
  expect_error(outcome, 3,
               "run/lock: expected a file that can be locked, found No locks available");
  expect_error(run("pki init --dir pki", before), 3, "expected a directory that can be locked");
}

TEST_F(Limits, DevicesAndPipesAreNoData) {
  make_study();
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  for (const std::string path : {"pipe", "/dev/zero", "/dev/stdin"}) {
    expect_error(run("inspect " + path, "timeout 60"), 3, path + ": expected an HDF5 file");
    expect_error(run("inspect study/xrt.h5 --angles " + path, "timeout 60"), 3,
                 path + ": expected a file that can be read, found a device or a pipe");
    expect_error(run("recon study/study.toml --out run --truth " + path, "timeout 60"), 3, path);
  }
}

// The projector, the norm of its matrix, and the comparison of sites take most of it.
TEST_F(Limits, SignalEndsSetUp) {
  make_large_study("large", 2048, 1024, 400);
  expect_ends("large", 1.0, SIGTERM);
  expect_ends("large", 2.5, SIGINT);
}

// With a known noise, firm-ds first fits each site alone: hundreds of steps.
TEST_F(Limits, SignalEndsFitOfEachSiteAlone) {
  make_large_study("noise", 2048, 1024, 400, "sigma = 1e-5\n");
  expect_ends("noise", 2.5, SIGTERM, {}, "run/study.toml");
  expect_ends("noise", 2.5, SIGINT, {"--separate"}, "run/study.toml");
}

TEST_F(Limits, SignalEndsSearchForAxisAndAlignment) {
  make_large_study("auto", 1024, 1024, 900, "rotation_axis = \"auto\"\n");
  expect_ends("auto", 0.7, SIGTERM);
  make_large_study("aligned", 1024, 1024, 600);
  expect_ends("aligned", 1.5, SIGTERM, {"--refine", "shifts,axis"});
  expect_ends("aligned", 1.5, SIGTERM, {"--refine", "shifts,axis", "--separate"});
}

}  // namespace
}  // namespace firm
