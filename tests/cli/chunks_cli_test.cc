// `firm recon --max-memory`: a volume solved in chunks.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/child_process.h"
#include "io/files/image_file.h"
#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "prep/study_data.h"
#include "run/memory/memory_estimate.h"
#include "support/command_line.h"
#include "support/file_opens.h"
#include "support/wait_until.h"

namespace firm {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::vector<std::string> kSites = {"xrf-1", "xrf-2", "xrf-3", "xrt"};

constexpr double kPatience = 600;  // seconds; only a failing test waits that long

class ChunkedRun : public CommandLine {
 protected:
  void SetUp() override { simulate("1"); }

  // Every slice is different.
  void simulate(const std::string& seed) {
    ASSERT_EQ(run("simulate --out s --preset elements --size 24 --angles 8 --slices 5 "
                  "--noise 0.01 --seed " +
                  seed)
                  .code,
              0);
    StudyFile file = read_study(directory_ / "s/study.toml");
    file.settings = {{"method", "firm-ds"}, {"stop.kkt", "0.001"}};
    write_study(directory_ / "s/study.toml", file);
  }

  // Option for a limit that fits `slices` slices by firm-ds.
  std::string memory_for(std::size_t slices) {
    const std::string path = directory_ / "s/study.toml";
    const Study study = StudyData(read_study(path), path).geometries();
    SolveOptions options;
    options.stop.kkt = 0.001;
    return " --max-memory " +
           std::to_string(estimate_memory(options, study, {.truth = true}).bytes(slices)) + "B";
  }

  // The history without times, which differ between equal runs.
  std::vector<Json> timeless_history(const std::string& run_directory) {
    std::vector<Json> lines = history(run_directory);
    for (Json& line : lines) line.erase("seconds");
    return lines;
  }

  std::set<std::string> files_in(const std::string& run_directory) {
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / run_directory)) {
      if (!entry.is_regular_file()) continue;
      files.insert(fs::relative(entry.path(), directory_ / run_directory).string());
    }
    return files;
  }

  std::string place(const std::string& folder, const std::string& file) {
    return (fs::path(directory_.path()) / folder / file).string();
  }

  // Same files with the same bytes, except for times.
  void expect_same(const std::string& a, const std::string& b) {
    EXPECT_EQ(files_in(a), files_in(b));
    EXPECT_EQ(timeless_history(a), timeless_history(b));
    for (const std::string& file : files_in(a)) {
      if (file == "history.jsonl" || file == "summary.json" || file == "report.html") continue;
      EXPECT_EQ(file_content(place(a, file)), file_content(place(b, file))) << file;
    }
  }

  int recon(const std::string& study, const std::string& out) {
    return run("recon " + study + " --out " + out).code;
  }

  // Writes a study with some of the slices into directory `to`.
  void cut_study(const std::string& to, std::size_t first, std::size_t count) {
    make_directory(directory_ / to);
    for (const std::string& site : kSites) {
      Acquisition a = read_acquisition(place("s", site + ".h5"));
      Block cut(a.data.rows(), count);
      for (std::size_t row = 0; row < cut.rows(); ++row) {
        for (std::size_t z = 0; z < count; ++z) cut(row, z) = a.data(row, first + z);
      }
      a.data = std::move(cut);
      write_acquisition(place(to, site + ".h5"), a);
    }
    StudyFile file = read_study(directory_ / "s/study.toml");
    file.slices = static_cast<int>(count);
    file.truth.clear();
    write_study(directory_ / (to + "/study.toml"), file);
  }

  // Sends a signal to a run of method firm in three chunks once its history contains `mark`;
  // returns its exit code.
  std::optional<int> signalled_run(const std::string& out, const std::string& mark, int signal) {
    ChildProcess child({FIRM_PROGRAM, "recon", directory_ / "s/study.toml", "--out",
                        directory_ / out, "--method", "firm", "--set", "stop.kkt=0", "--set",
                        "firm.hold=10000", "--set", "firm.rule=relative", "--set", "chunks=3"});
    const std::string file = directory_ / (out + "/history.jsonl");
    EXPECT_TRUE(
        wait_until(kPatience, [&] { return file_content(file).find(mark) != std::string::npos; }));
    child.send(signal);
    return child.wait(kPatience);
  }
  static constexpr const char* kLongRun =
      " --method firm --set stop.kkt=0 --set firm.hold=10000 --set firm.rule=relative "
      "--set chunks=3";

  bool exists(const std::string& path) { return fs::exists(directory_ / path); }
};

TEST_F(ChunkedRun, WritesOneRun) {
  const Outcome o = run("recon s/study.toml --out r" + memory_for(2));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_CONTAINS(o.err, "memory: about ");
  EXPECT_CONTAINS(o.err, "5 slices in 3 chunks");
  EXPECT_CONTAINS(o.err, "chunk 3 of 3: slices 3 to 4");
  EXPECT_FALSE(exists("r/chunks"));
  EXPECT_FALSE(exists("r/checkpoint.h5"));
  for (const std::string& site : kSites) {
    EXPECT_EQ(read_images(directory_ / "r/images.h5", site).columns(), 5u);
    const fs::path folder = place("r/recon", site + "_rec");
    EXPECT_TRUE(fs::exists(folder / "recon_00004.tiff"));
    EXPECT_FALSE(fs::exists(folder / "recon_00005.tiff"));
  }
  EXPECT_EQ(read_images(directory_ / "r/images.h5", "multiplier").columns(), 5u);
  EXPECT_TRUE(exists("r/overview.png"));
  // The resolved study keeps the number of chunks.
  ASSERT_EQ(run("recon r/study.toml --out again").code, 0);
  EXPECT_EQ(file_content(directory_ / "again/images.h5"), file_content(directory_ / "r/images.h5"));
}

TEST_F(ChunkedRun, GivesImagesOfSlicesSolvedAlone) {
  ASSERT_EQ(run("recon s/study.toml --out r" + memory_for(2)).code, 0);
  for (const SliceRange& range : std::vector<SliceRange>{{0, 1}, {1, 2}, {3, 2}}) {
    const std::string alone = "alone" + std::to_string(range.first);
    cut_study(alone, range.first, range.count);
    ASSERT_EQ(recon(alone + "/study.toml", alone + "/r"), 0);
    for (const std::string site : {"xrf-1", "xrf-2", "xrf-3", "xrt", "multiplier"}) {
      const Block whole = read_images(directory_ / "r/images.h5", site);
      const Block part = read_images(place(alone, "r/images.h5"), site);
      ASSERT_EQ(part.columns(), range.count);
      for (std::size_t p = 0; p < part.rows(); ++p) {
        for (std::size_t z = 0; z < range.count; ++z) {
          ASSERT_EQ(part(p, z), whole(p, range.first + z)) << site << " " << range.first + z;
        }
      }
    }
  }
}

TEST_F(ChunkedRun, SumsChunksInSummary) {
  ASSERT_EQ(run("recon s/study.toml --out r" + memory_for(2)).code, 0);
  const Json j = summary("r");
  const Json& chunks = j.at("chunks");
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[1].at("first_slice"), 1);
  EXPECT_EQ(chunks[1].at("slices"), 2);
  double objective = 0;
  int rounds = 0;
  long iterations = 0;
  for (const Json& chunk : chunks) {
    objective += chunk.at("objective").get<double>();
    rounds = std::max(rounds, chunk.at("rounds").get<int>());
    iterations += chunk.at("local_iterations").get<long>();
    EXPECT_EQ(chunk.at("termination").at("reason"), "kkt");
    EXPECT_EQ(chunk.at("data_sha256").at("xrf-2").get<std::string>().size(), 64u);
  }
  EXPECT_DOUBLE_EQ(j.at("objective").get<double>(), objective);
  EXPECT_EQ(j.at("rounds"), rounds);
  EXPECT_EQ(j.at("local_iterations"), iterations);
  EXPECT_EQ(j.at("options").at("chunks"), 3);
  // The error is that of the whole volume.
  double squares = 0;
  for (const std::string& site : kSites) {
    const Block found = read_images(directory_ / "r/images.h5", site);
    const Block truth = read_images(directory_ / "s/truth.h5", site);
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double d = static_cast<double>(found.data()[k]) - static_cast<double>(truth.data()[k]);
      squares += d * d;
    }
  }
  EXPECT_NEAR(j.at("error_to_truth").at("total").get<double>(), std::sqrt(squares),
              1e-6 * std::sqrt(squares));
  std::set<int> seen;
  for (const Json& line : history("r")) seen.insert(line.at("chunk").get<int>());
  EXPECT_EQ(seen, (std::set<int>{0, 1, 2}));
}

// While eta has its first value, method firm treats slices independently: the images, and hence the
// certificate, are those of all slices at once.
TEST_F(ChunkedRun, HasCertificateOfWholeVolume) {
  const std::string rounds =
      "recon s/study.toml --method firm --set stop.kkt=1e-12 --set stop.rounds=5 ";
  ASSERT_EQ(run(rounds + "--out whole").code, 5);
  ASSERT_EQ(run(rounds + "--out parts --set chunks=3").code, 5);
  const Json whole = summary("whole");
  const Json parts = summary("parts");
  for (const char* key : {"primal", "stationarity", "relative", "multiplier"}) {
    const double expected = whole.at("kkt").at(key);
    EXPECT_GT(expected, 0) << key;
    EXPECT_NEAR(parts.at("kkt").at(key).get<double>(), expected, 1e-4 * expected) << key;
  }
  EXPECT_EQ(parts.at("constraint_violation"), parts.at("kkt").at("primal"));
}

TEST_F(ChunkedRun, OneChunkEqualsPlainRun) {
  const Outcome one = run("recon s/study.toml --out a" + memory_for(5));
  ASSERT_EQ(one.code, 0) << one.err;
  ASSERT_EQ(run("recon s/study.toml --out b").code, 0);
  expect_same("a", "b");
  EXPECT_FALSE(summary("a").contains("chunks"));
  EXPECT_FALSE(history("a").front().contains("chunk"));
}

TEST_F(ChunkedRun, ResumesAfterCtrlC) {
  ASSERT_EQ(run(std::string("recon s/study.toml --out whole") + kLongRun).code, 0);
  for (const std::string mark : {"\"chunk\":0", "\"chunk\":1"}) {
    EXPECT_EQ(signalled_run("parts", mark, SIGINT), 5);
    EXPECT_FALSE(exists("parts/summary.json"));
    const Outcome o = run("recon s/study.toml --resume --out parts");
    ASSERT_EQ(o.code, 0) << o.err;
    // Finished chunks are not solved again.
    EXPECT_EQ(o.err.find("chunk 1 of 3") == std::string::npos, mark == "\"chunk\":1") << o.err;
    EXPECT_CONTAINS(o.err, "chunk 2 of 3");
    expect_same("parts", "whole");
    fs::remove_all(directory_ / "parts");
  }
}

TEST_F(ChunkedRun, ResumesAfterKill) {
  ASSERT_EQ(run(std::string("recon s/study.toml --out whole") + kLongRun).code, 0);
  EXPECT_EQ(signalled_run("parts", "\"chunk\":1", SIGKILL), 128 + SIGKILL);
  const Outcome o = run("recon s/study.toml --resume --out parts");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err.find("chunk 1 of 3"), std::string::npos);
  expect_same("parts", "whole");
}

TEST_F(ChunkedRun, ResumesAfterLimit) {
  const std::string start =
      "recon s/study.toml --set stop.kkt=0 --set ds.local_steps=2 --set chunks=3 ";
  ASSERT_EQ(run(start + "--out whole --set stop.rounds=5").code, 5);
  ASSERT_EQ(run(start + "--out parts --set stop.rounds=3").code, 5);
  EXPECT_TRUE(exists("parts/summary.json"));
  EXPECT_TRUE(exists("parts/chunks/slices-00001.checkpoint.h5"));
  ASSERT_EQ(run("recon s/study.toml --resume --out parts --set stop.rounds=5").code, 5);
  EXPECT_EQ(file_content(directory_ / "whole/images.h5"),
            file_content(directory_ / "parts/images.h5"));
  EXPECT_EQ(timeless_history("whole"), timeless_history("parts"));
  EXPECT_EQ(summary("parts").at("termination").at("reason"), "rounds");
  expect_error(run("recon s/study.toml --resume --out parts --set chunks=2"), 2,
               "expected chunks = 2, found chunks = 3");
}

// Resuming removes the summary and the report of the earlier end.
TEST_F(ChunkedRun, IgnoresSummaryOfEarlierRun) {
  ASSERT_EQ(run("recon s/study.toml --out r --set stop.kkt=1e-30 --set ds.local_steps=1 "
                "--set chunks=3 --set stop.rounds=5")
                .code,
            5);
  ASSERT_TRUE(exists("r/summary.json") && exists("r/report.html"));
  ChildProcess more({FIRM_PROGRAM, "recon", directory_ / "s/study.toml", "--out", directory_ / "r",
                     "--resume", "--json", "--set", "stop.rounds=100000000"});
  ASSERT_TRUE(more.prints("{\"type\":\"round\"", kPatience)) << more.output();
  more.send(SIGINT);
  EXPECT_EQ(more.wait(kPatience), 5) << more.output();
  EXPECT_EQ(more.output().find("{\"type\":\"summary\""), std::string::npos);
  EXPECT_FALSE(exists("r/summary.json"));
  EXPECT_FALSE(exists("r/report.html"));
}

TEST_F(ChunkedRun, KeepsFinishedChunksWhenDiskIsFull) {
  ASSERT_EQ(run("recon s/study.toml --out whole --set chunks=5").code, 0);
  // 64 KiB: enough for one chunk, not for all images.
  const Outcome full =
      run("recon s/study.toml --out parts --set chunks=5", "trap '' XFSZ; ulimit -f 128;");
  EXPECT_EQ(full.code, 3) << full.err;
  EXPECT_CONTAINS(full.err, "images.h5");
  EXPECT_FALSE(exists("parts/summary.json"));
  EXPECT_FALSE(exists("parts/images.h5"));
  const Outcome o = run("recon s/study.toml --resume --out parts");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err.find("chunk 1 of"), std::string::npos) << o.err;
  EXPECT_EQ(o.err.find("chunk 5 of"), std::string::npos) << o.err;
  expect_same("parts", "whole");
}

TEST_F(ChunkedRun, RejectsResumeWithOtherData) {
  ASSERT_EQ(run("recon s/study.toml --out r --set chunks=2 --set stop.kkt=0 "
                "--set ds.local_steps=2 --set stop.rounds=2")
                .code,
            5);
  simulate("2");
  expect_error(run("recon s/study.toml --resume --out r"), 2, "site xrf-1 coefficient");
}

TEST_F(ChunkedRun, RejectsResumeOfFinishedRun) {
  ASSERT_EQ(run("recon s/study.toml --out r --set chunks=2").code, 0);
  expect_error(run("recon s/study.toml --out r --resume"), 2, "a finished one (summary.json)");
  ASSERT_EQ(run("recon s/study.toml --out r --overwrite").code, 0);
  EXPECT_FALSE(summary("r").contains("chunks"));
}

TEST_F(ChunkedRun, RejectsLimitBelowOneSlice) {
  const Outcome o = run("recon s/study.toml --out r --max-memory 1MiB");
  expect_error(o, 2, "--max-memory: expected at least ");
  EXPECT_CONTAINS(o.err, "for 1 slice by firm-ds, found 1 MiB");
  for (const std::string text : {"2", "GB", "'2 XB'", "-1GB", "0GB", "2GBs"}) {
    expect_error(run("recon s/study.toml --out r --max-memory=" + text), 2,
                 "a size, for example 2GB, 1500MB or 2GiB");
  }
  expect_error(run("recon s/study.toml --out r --separate --max-memory 2GB"), 2,
               "found --separate");
  expect_error(run("recon s/study.toml --out r --separate --set chunks=2"), 2,
               "chunks: expected 1");
  expect_error(run("recon s/study.toml --out r --set chunks=0"), 2, "from 1 on");
  EXPECT_FALSE(exists("r"));
}

TEST_F(ChunkedRun, IsSuggestedWhenMemoryIsShort) {
  StudyFile file = read_study(directory_ / "s/study.toml");
  file.rows = file.columns = 32768;
  file.truth.clear();
  write_study(directory_ / "s/large.toml", file);
  const Outcome o = run("recon s/large.toml --out r");
  expect_error(o, 3, "memory: expected about ");
  EXPECT_CONTAINS(o.err, "GiB for 5 slices by firm-ds, found ");
  EXPECT_CONTAINS(o.err, "available; --max-memory ");
  EXPECT_FALSE(exists("r"));
}

TEST_F(ChunkedRun, OpensDataFilesOnceForAllChunks) {
  FileOpens opens({directory_ / "s/xrt.h5"});
  run("recon s/study.toml --out r --set chunks=3 --set stop.rounds=2");
  ASSERT_TRUE(exists("r/report.html"));
  EXPECT_EQ(opens.opened(directory_ / "s/xrt.h5"), 3);  // as in one piece
}

}  // namespace
}  // namespace firm
