// The command line: exit codes, messages, help, and the verbs simulate, inspect, bench and demo.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/files/pending_file.h"
#include "io/formats/data_exchange.h"
#include "support/command_line.h"

namespace firm {
namespace {

TEST_F(CommandLine, PrintsVersion) {
  const Outcome o = run("--version");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.out.rfind("firm ", 0), 0u);
}

TEST_F(CommandLine, PrintsHelpOfEveryVerb) {
  const Outcome all = run("--help");
  EXPECT_EQ(all.code, 0);
  EXPECT_CONTAINS(all.out, "Exit codes");
  EXPECT_CONTAINS(all.out, "Example");
  for (const std::string verb :
       {"demo", "simulate", "recon", "check", "coordinator", "site", "audit", "paper", "report",
        "view", "inspect", "calibrate", "bench"}) {
    EXPECT_CONTAINS(all.out, verb);
    const Outcome o = run(verb + " --help");
    EXPECT_EQ(o.code, 0);
    EXPECT_CONTAINS(o.out, "Example");
    EXPECT_CONTAINS(o.out, "firm " + verb + " ");
  }
}

TEST_F(CommandLine, HelpShowsDefaults) {
  const Outcome o = run("simulate --help");
  EXPECT_CONTAINS(o.out, "(default: 250)");
  EXPECT_EQ(o.out.find("[250]"), std::string::npos) << o.out;
  EXPECT_EQ(o.out.find("=250"), std::string::npos) << o.out;
}

TEST_F(CommandLine, RejectsWrongUsage) {
  expect_error(run(""), 2, "expected a verb");
  EXPECT_CONTAINS(run("").err, "firm --help");
  expect_error(run("recons"), 2, "found 'recons'");
  expect_error(run("simulate"), 2, "--out");
  expect_error(run("simulate --out a --sizes 3"), 2, "--sizes");
  expect_error(run("simulate --out a --size large"), 2, "--size");
  expect_error(run("simulate --out a --size 99999999999"), 2, "--size");
  expect_error(run("simulate --out a --seed -1"), 2, "--seed");
  expect_error(run("simulate --out a --size 2"), 2, "size: expected a whole number from 4");
  expect_error(run("simulate --out a --preset papers"), 2,
               "expected one of paper, elements, shapes, smooth, rod, minerals, geode");
  expect_error(run("inspect"), 2, "FILE");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "a"));
}

TEST_F(CommandLine, SuggestsVerbsAndOptions) {
  expect_error(run("reconn s.toml --out r"), 2, "found 'reconn' (did you mean recon?)");
  expect_error(run("pki reqest"), 2,
               "found 'reqest' (did you mean request?)\nRun 'firm pki --help'");
  expect_error(run("recon s.toml --out r --metod firm"), 2,
               "did you mean --method instead of --metod?\nRun 'firm recon --help'");
  expect_error(run("recon s.toml --ot=r"), 2,
               "--out is required; did you mean --out instead of --ot?");
  expect_error(run("pki request --dri a --name b"), 2,
               "did you mean --dir instead of --dri?\nRun 'firm pki request --help'");
  EXPECT_EQ(run("recon s.toml --out r --nonsense").err.find("did you mean"), std::string::npos);
}

TEST_F(CommandLine, RejectsWrongFiles) {
  expect_error(run("inspect none.h5"), 3, "or a folder of files, found No such file");
  expect_error(run("inspect ."), 3, "a directory");
  write_text_file(directory_ / "text.h5", "some text");
  expect_error(run("inspect text.h5"), 3, "text.h5: expected an HDF5 file");
  make_study();
  expect_error(run("inspect study/truth.h5"), 3, "/entry/xrt/attenuation (1, 16, 16) float32");
  expect_error(run("simulate --out text.h5"), 3, "text.h5: expected a directory");
}

TEST_F(CommandLine, InspectsSimulatedFile) {
  make_study();
  const Outcome text = run("inspect study/xrf-2.h5");
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_CONTAINS(text.out, "(5, 1, 23)");
  EXPECT_CONTAINS(text.out, "5 from 0 to 144 degrees, ascending, step 36");
  const Outcome json = run("inspect --json study/xrf-2.h5");
  EXPECT_EQ(json.code, 0);
  const auto answer = nlohmann::json::parse(json.out);
  EXPECT_EQ(answer["angles"]["count"], 5);
  EXPECT_EQ(answer["fields"][0]["shape"], (std::vector<int>{5, 1, 23}));
  EXPECT_EQ(answer["fields"][0]["values"]["nan"], 0);
  EXPECT_EQ(answer["memory"]["side"], 23);
  EXPECT_EQ(answer["fields"][0]["values"]["saturated"], 0);
  EXPECT_EQ(answer["jumps"]["frames"].size(), 0u);
  // The empty corners are 0 at all angles.
  EXPECT_EQ(answer["dead_columns"]["count"], answer["dead_columns"]["zero"]);
  EXPECT_CONTAINS(answer["study"].get<std::string>(), "data = \"study/xrf-2.h5\"");
  EXPECT_CONTAINS(text.out, "\n[image]\nrows = 23\n");
  EXPECT_CONTAINS(text.out, "\n# compound = \"Fe\" ");
  EXPECT_CONTAINS(text.out, "\nFor study.toml:\n\n[study]\nname = \"xrf-2\"\n");
}

TEST_F(CommandLine, InspectsArrayWithAngleFile) {
  write_text_file(directory_ / "angles.txt", "0\n90\n");
  std::string array = "\x93NUMPY";
  array.append("\1\0\x40\0", 4);  // version 1, 64 bytes of header
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2, 4), }";
  header.resize(64, ' ');
  array += header;
  array.append(24, '\xff');
  write_text_file(directory_ / "a.npy", array);
  expect_error(run("inspect a.npy"), 3, "angles: expected a file with 3 angles");
  expect_error(run("inspect a.npy --angles angles.txt"), 3, "angles.txt: expected 3 angles");
  const Outcome o = run("inspect a.npy --angles angles.txt --axes y:theta:x");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_CONTAINS(o.out, "3 slices x 4 beamlets");
  EXPECT_CONTAINS(o.out, "24 saturated (at the largest uint8)");
  EXPECT_CONTAINS(o.out,
                  "12 have the same value at all angles, 0 of them 0: slice 0 beamlet 0 (255)");
  EXPECT_CONTAINS(o.out, "angles = \"angles.txt\"\naxes = \"y:theta:x\"\n");
}

// Old files have texts in Latin-1.
TEST_F(CommandLine, ReplacesTextThatIsNotUtf8) {
  make_study();
  Acquisition a = read_acquisition(directory_ / "study/xrf-1.h5");
  a.title = "M\xfcller";
  a.units = "\xb5stones";
  write_acquisition(directory_ / "study/xrf-1.h5", a);
  const Outcome o = run("inspect study/xrf-1.h5 --json");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out).at("title"), "M\xef\xbf\xbdller");
  for (const std::string how : {"", " --separate"}) {
    EXPECT_EQ(run("recon study/study.toml --overwrite --out r --set stop.rounds=1" + how).code, 5);
    const auto warnings = summary("r").at("sites")[0].at("preparation").at("warnings");
    EXPECT_CONTAINS(warnings.dump(), "stones");
  }
}

TEST_F(CommandLine, SimulateUsesEveryOption) {
  const Outcome o =
      run("simulate --out study --preset elements --size 20 --angles 6 --slices 3 --noise 0.01 "
          "--seed 9 --pixel-size 0.5 --counts 1e4");
  EXPECT_EQ(o.code, 0) << o.err;
  const std::string study = file_content(directory_ / "study/study.toml");
  EXPECT_CONTAINS(study, "pixel_size = \"0.5 um\"");
  EXPECT_CONTAINS(study, "slices = 3");
  EXPECT_CONTAINS(study, "minus_log = true");
  EXPECT_CONTAINS(study, "discrepancy = 0.01");
  EXPECT_CONTAINS(study, "seed 9");
  EXPECT_CONTAINS(run("inspect study/xrt.h5").out, "/exchange/data_white");
}

TEST_F(CommandLine, SimulateAddsEveryDefect) {
  const Outcome o =
      run("simulate --out study --preset rod --size 50 --angles 6 --slices 3 --counts 1e4 "
          "--jitter 1 --drift 2 --vertical-jitter 0.5 --axis-offset -3 --angle-error 0.01 --lag 4 "
          "--beam-drift 0.05 --crosstalk 0.1 --xrf-counts 1e3");
  EXPECT_EQ(o.code, 0) << o.err;
  const std::string study = file_content(directory_ / "study/study.toml");
  EXPECT_CONTAINS(study, "pixel_size = \"4 um\"");  // 200 um / 50
  EXPECT_CONTAINS(study,
                  "counts 10000, xrf-counts 1000, jitter 1, drift 2, vertical-jitter 0.5, "
                  "axis-offset -3, angle-error 0.01, lag 4, beam-drift 0.05, crosstalk 0.1");
  EXPECT_CONTAINS(study, "scale = \"auto\"");
  EXPECT_CONTAINS(run("inspect study/xrf.h5 --element Au").out, "XRFtomo");
}

TEST_F(CommandLine, SimulateNamesWrongDefect) {
  const auto refuse = [&](const std::string& option, const std::string& expected) {
    expect_error(run("simulate --out study --angles 8 " + option), 2, expected);
  };
  refuse("--jitter -1", "jitter: expected beamlets from 0 to 250, found -1");
  refuse("--vertical-jitter 1", "vertical-jitter: expected 2 slices or more, found 1");
  refuse("--lag x", "--lag");
  refuse("--xrf-counts 0", "--xrf-counts");
  refuse("--crosstalk 3", "crosstalk: expected a share of the second element's signal from 0 to 1");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "study"));
}

TEST_F(CommandLine, SimulateGivesSameBytesWithAnyThreads) {
  const std::string arguments = " --size 40 --angles 9 --noise 0.1";
  ASSERT_EQ(run("simulate --out one" + arguments, "OMP_NUM_THREADS=1").code, 0);
  ASSERT_EQ(run("simulate --out two" + arguments, "OMP_NUM_THREADS=2").code, 0);
  EXPECT_EQ(file_content(directory_ / "one/xrt.h5"), file_content(directory_ / "two/xrt.h5"));
}

TEST_F(CommandLine, DemoShowsFederationAndPriorCloserToTruth) {
  const Outcome o = run("demo --out shown");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_CONTAINS(o.out, "shown/demo.png");
  EXPECT_EQ(file_content(directory_ / "shown/demo.png").substr(1, 3), "PNG");
  EXPECT_TRUE(std::filesystem::exists(directory_ / "shown/study.toml"));
  EXPECT_CONTAINS(file_content(directory_ / "shown/report.html"), R"("phases":{"solving":)");
  const auto alone = summary("shown/alone").at("error_to_truth").at("sites");
  ASSERT_EQ(alone.size(), 4u);
  for (const auto& [site, error] : alone.items()) {
    const auto joint = summary("shown/federated/" + site);
    EXPECT_TRUE(joint.at("federation").at("secure_aggregation").get<bool>()) << site;
    EXPECT_EQ(joint.at("federation").at("sites"), 4);
    EXPECT_LT(joint.at("error_to_truth").at("total"), error) << site;
    const auto prior = summary("shown/prior/" + site);
    EXPECT_EQ(prior.at("prior").at("kind"), "tv") << site;
    EXPECT_LT(prior.at("error_to_truth").at("total"), joint.at("error_to_truth").at("total"))
        << site;
  }
  EXPECT_CONTAINS(o.out, "federated, with prior");
}

TEST_F(CommandLine, SimulateRejectsZeroPhotons) {
  expect_error(run("simulate --out study --counts 0"), 2, "--counts");
}

TEST_F(CommandLine, BenchTimesProjector) {
  const Outcome o = run("bench --size 32 --angles 6 --slices 2 --threads 1 --seconds 0 --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_GT(j.at("forward_gups").get<double>(), 0);
  EXPECT_GT(j.at("adjoint_gups").get<double>(), 0);
  EXPECT_GE(j.at("setup_seconds").get<double>(), 0);
  EXPECT_EQ(j.at("matrix_bytes").get<int>(), 0);
  EXPECT_EQ(j.at("threads").get<int>(), 1);
  EXPECT_CONTAINS(j.at("kernel").get<std::string>(), "strip-");
  EXPECT_CONTAINS(run("bench --size 16 --angles 4 --seconds 0").out, "GUPS");
}

TEST_F(CommandLine, BenchRejectsWrongOptions) {
  expect_error(run("bench --size 0"), 2, "--size");
  expect_error(run("bench --kernel cuda --size 8 --angles 2"), 2, "strip-scalar");
}

// A limit on the size of files simulates a full disk.
TEST_F(CommandLine, SimulateReportsFullDisk) {
  const std::string limit = "trap '' XFSZ; ulimit -f ";
  for (const std::string blocks : {"0", "8", "60", "100"}) {
    const Outcome o = run("simulate --out study --size 100", limit + blocks + ";");
    // The limit also empties the files with the output, so check the exit code only.
    EXPECT_EQ(o.code, 3) << blocks;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "study")) {
      EXPECT_NE(entry.path().extension(), ".part") << blocks;
    }
  }
}

TEST_F(CommandLine, ReportsLostOutput) {
  make_study();
  EXPECT_EQ(run("inspect study/xrt.h5 >/dev/full; code=$?; exit $code #").code, 3);
}

}  // namespace
}  // namespace firm
