// Tests of report.html as runs write it, and of `firm report`. web/test tests the page in a
// browser.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/files/pending_file.h"
#include "run/report/run_report.h"
#include "support/command_line.h"

namespace firm {
namespace {

using Json = nlohmann::json;

class Report : public CommandLine {
 protected:
  void SetUp() override {
    simulate("s", "");
    ASSERT_EQ(run("recon s/study.toml --out r").code, 0);
  }

  void simulate(const std::string& out, const std::string& more) {
    ASSERT_EQ(
        run("simulate --size 16 --angles 6 --slices 3 --noise 0.01 --out " + out + " " + more).code,
        0);
  }

  std::string page(const std::string& path = "r/report.html") {
    return file_content(directory_ / path);
  }

  Json document(const std::string& path = "r/report.html") {
    const std::string text = page(path);
    const std::string start = R"(id="firm-document">)";
    const std::size_t from = text.find(start) + start.size();
    return Json::parse(text.substr(from, text.find("</script>", from) - from));
  }

  static std::string notes(const Json& document) { return document.at("notes").dump(); }
};

TEST_F(Report, RefusesDamagedSummaryAndHistory) {
  const std::string path = directory_ / "r/summary.json";
  const std::string whole = file_content(path);
  const auto report = [&] { report_document({{directory_ / "r"}}); };
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"{\"study\":\"x\"}", "expected the summary of a run, found key 'sites' not found"},
           {"{\"study\":\"x\",\"sites\":3}", "expected the summary of a run, found "},
           {"{\"study\":" + deep + "}", "expected JSON of at most 64 levels, found more"},
           {"{\"study\"", "expected JSON, found "}}) {
    write_text_file(path, text);
    const std::string error = error_of(report);
    EXPECT_CONTAINS(error, path + ": " + part);
    EXPECT_EQ(error.find("json.exception"), std::string::npos) << error;
  }
  write_text_file(path, whole);
  write_text_file(directory_ / "r/history.jsonl", "{\"round\":0}\n{\"round\":\"x\"}\n");
  EXPECT_CONTAINS(error_of(report), "r/history.jsonl:2: expected a round of a run, found ");
  write_text_file(directory_ / "r/history.jsonl", "{\"round\":0}\n" + deep + "\n");
  EXPECT_NO_THROW(report()) << "as with an incomplete last line";
}

// T needs the attenuation of all elements, which is in images.h5.
TEST_F(Report, HoldsTransmittanceOfMiddleSlice) {
  simulate("a", "--self-absorption");
  const std::string options = " --set absorption.rounds=1 --set stop.rounds=2";
  run("recon a/study.toml --out whole" + options);
  run("recon a/study.toml --out chunks --set chunks=3" + options);
  for (const char* path : {"whole/report.html", "chunks/report.html"}) {
    const Json t = document(path).at("transmittance");
    EXPECT_EQ(t.at("slice"), 1);
    ASSERT_EQ(t.at("stacks").size(), 3u) << "one for each element";
    const Json& first = t.at("stacks")[0];
    EXPECT_EQ(first.at("site"), "xrf-1");
    EXPECT_EQ(first.at("theta"), Json({0, 60, 120, 180, 240, 300}));
    EXPECT_EQ(first.at("angles"), Json({0, 1, 2, 3, 4, 5}));
    EXPECT_LT(first.at("low"), 0.8);
    EXPECT_EQ(first.at("high"), 1);
  }
  const std::string before = document("whole/report.html").at("transmittance").dump();
  ASSERT_EQ(run("report whole").code, 0);
  EXPECT_EQ(document("whole/report.html").at("transmittance").dump(), before);
  EXPECT_TRUE(document().at("transmittance").is_null()) << "a run without self-absorption";
}

TEST_F(Report, HoldsResultsOfRun) {
  const Json d = document();
  EXPECT_EQ(d.at("kind"), "recon");
  EXPECT_EQ(d.at("summary"), Json::parse(file_content(directory_ / "r/summary.json")));
  EXPECT_EQ(d.at("images").at("stacks").size(), 8u) << "reconstruction and truth of four sites";
  EXPECT_EQ(d.at("images").at("slices"), Json({0, 1, 2}));
  EXPECT_EQ(d.at("sinograms").at("stacks").size(), 8u) << "data and residual of four sites";
  EXPECT_EQ(d.at("study").at("text"), file_content(directory_ / "r/study.toml"));
  EXPECT_EQ(d.at("notes"), Json::array());
  EXPECT_GT(d.at("image_norm").get<double>(), 0);
  std::set<std::string> curves;
  for (const Json& curve : d.at("curves")) {
    curves.insert(curve.at("key").get<std::string>() + curve.at("site").get<std::string>());
    EXPECT_EQ(curve.at("round").size(), curve.at("value").size());
    EXPECT_EQ(curve.at("seconds").size(), curve.at("value").size());
  }
  for (const char* key : {"objective", "step_norm", "constraint_violation", "kkt", "error_to_truth",
                          "residualxrf-1", "residualxrt"}) {
    EXPECT_TRUE(curves.contains(key)) << key;
  }
  for (const char* phase : {"reading", "solving", "writing images"}) {
    EXPECT_GE(d.at("summary").at("phases").at(phase).get<double>(), 0) << phase;
  }
}

TEST_F(Report, IsReproducible) {
  const std::string before = page();
  std::filesystem::remove(directory_ / "r/report.html");
  const Outcome o = run("report r");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "wrote r/report.html\n");
  EXPECT_EQ(page(), before);
}

TEST_F(Report, ComparesWithRunOfEachSiteAlone) {
  ASSERT_EQ(run("recon s/study.toml --out alone --method pgd").code, 0);
  ASSERT_EQ(run("report r --alone alone --out both.html").code, 0);
  EXPECT_EQ(document("both.html").at("images").at("stacks").size(), 12u);

  ASSERT_EQ(run("simulate --out small --size 8 --angles 4").code, 0);
  ASSERT_EQ(run("recon small/study.toml --out small-alone --method pgd").code, 0);
  ASSERT_EQ(run("report r --alone small-alone --out both.html").code, 0);
  EXPECT_EQ(document("both.html").at("images").at("stacks").size(), 8u);
  EXPECT_CONTAINS(notes(document("both.html")), "images of xrt have another size");
}

// A run in chunks reads the slices of its report one by one, `firm report` reads all at once.
TEST_F(Report, ShowsSameSinogramsInRunAndLater) {
  ASSERT_EQ(run("recon s/study.toml --out chunks --set chunks=2").code, 0);
  const Json by_chunks = document("chunks/report.html").at("sinograms");
  const Json by_run = document().at("sinograms");
  ASSERT_EQ(run("report r").code, 0);
  EXPECT_EQ(document().at("sinograms"), by_run);
  for (const std::size_t k : {0, 2, 4, 6}) {  // only data: the residuals belong to other images
    EXPECT_EQ(by_chunks.at("stacks")[k].at("view"), "data");
    EXPECT_EQ(by_chunks.at("stacks")[k], by_run.at("stacks")[k]);
  }
}

// Pages of a federation join the summaries of its sites; only `firm demo` has all of them.
TEST_F(Report, JoinsFitsWarningsAndAlignmentOfSites) {
  std::filesystem::copy(directory_ / "r", directory_ / "r2",
                        std::filesystem::copy_options::recursive);
  const auto joined = [&](const Json& first, const Json& second) {
    for (const auto& [name, more] : {std::pair{"r", first}, std::pair{"r2", second}}) {
      const std::string path = directory_ / name + std::string("/summary.json");
      Json summary = Json::parse(file_content(path));
      for (const char* key : {"fits", "warnings"}) summary.erase(key);
      summary["federation"] = {{"messages", 1}, {"bytes", 2}};
      summary.update(more);
      write_text_file(path, summary.dump());
    }
    return Json::parse(report_document({{directory_ / "r", directory_ / "r2"}})).at("summary");
  };
  const Json fitted = {{"fits", true}, {"warnings", {"a: x", "both"}}};
  const Json missed = {{"fits", false}, {"warnings", {"both", "b: y"}}};
  const Json unknown = {{"fits", nullptr}};
  EXPECT_EQ(joined(fitted, missed).at("warnings"), Json({"a: x", "both", "b: y"}));
  EXPECT_EQ(joined(fitted, missed).at("fits"), false);
  EXPECT_EQ(joined(unknown, missed).at("fits"), false);
  EXPECT_EQ(joined(unknown, missed).at("warnings"), Json({"both", "b: y"}));
  EXPECT_EQ(joined(fitted, fitted).at("fits"), true);
  EXPECT_EQ(joined(fitted, unknown).at("fits"), nullptr);

  const auto refined = [](const std::string& site) {
    const Json scans = {{"A", {{"shifts", {0.5}}}}};
    return Json{{"refined",
                 {{"scans", scans},
                  {"sites", {{site, {{"axis", 3}}}}},
                  {"notes", {"aligned on slice 0"}},
                  {"warnings", {site + ": unknown scale"}}}}};
  };
  const Json all = joined(refined("a"), refined("b")).at("refined");
  EXPECT_EQ(all.at("scans"), refined("a").at("refined").at("scans"));
  EXPECT_EQ(all.at("sites"), Json({{"a", {{"axis", 3}}}, {"b", {{"axis", 3}}}}));
  EXPECT_EQ(all.at("notes"), Json({"aligned on slice 0"}));
  EXPECT_EQ(all.at("warnings"), Json({"a: unknown scale", "b: unknown scale"}));

  const auto absorbed = [](const std::string& site) {
    return Json{{"masses", {{site, 1e-6}}},
                {"kept_fraction", {{site, 0.5}}},
                {"absorption", {{"sites", {{site, {{"line_energy", 6.4}}}}}}}};
  };
  const Json both = joined(absorbed("a"), absorbed("b"));
  EXPECT_EQ(both.at("masses"), Json({{"a", 1e-6}, {"b", 1e-6}}));
  EXPECT_EQ(both.at("kept_fraction"), Json({{"a", 0.5}, {"b", 0.5}}));
  EXPECT_EQ(both.at("absorption").at("sites").size(), 2u);
  EXPECT_EQ(joined(fitted, Json::object()).at("fits"), nullptr);
  EXPECT_FALSE(joined(Json::object(), Json::object()).contains("fits"));
}

TEST_F(Report, HoldsFitOfEveryRound) {
  const std::string path = directory_ / "r/history.jsonl";
  std::istringstream in(file_content(path));
  std::string lines;
  for (std::string text; std::getline(in, text);) {
    Json line = Json::parse(text);
    line["fit"] = {{"xrt", 1.5}};
    lines += line.dump() + "\n";
  }
  write_text_file(path, lines);
  ASSERT_EQ(run("report r").code, 0);
  const Json curves = document().at("curves");
  const auto fit = std::find_if(curves.begin(), curves.end(),
                                [](const Json& curve) { return curve.at("key") == "fit"; });
  ASSERT_NE(fit, curves.end());
  EXPECT_EQ(fit->at("site"), "xrt");
  EXPECT_EQ(fit->at("value").front(), 1.5);
  EXPECT_EQ(fit->at("value").size(), curves.front().at("value").size());
}

TEST_F(Report, NotesMissingAndChangedMeasurements) {
  simulate("other", "--seed 2");
  std::filesystem::remove(directory_ / "s/xrf-2.h5");
  std::filesystem::copy_file(directory_ / "other/xrt.h5", directory_ / "s/xrt.h5",
                             std::filesystem::copy_options::overwrite_existing);
  ASSERT_EQ(run("report r").code, 0);
  const Json d = document();
  EXPECT_CONTAINS(notes(d), "No sinogram of xrf-2: ");
  EXPECT_CONTAINS(notes(d), "expected the data of the run (data_sha256), found other data");
  EXPECT_EQ(d.at("sinograms").at("stacks").size(), 4u);
  EXPECT_EQ(d.at("images").at("stacks").size(), 8u);
}

TEST_F(Report, RequiresFinishedRun) {
  expect_error(run("report s"), 3, "s/summary.json: expected the summary of a run, found no file");
  expect_error(run("report nowhere"), 3, "nowhere/summary.json");
  std::filesystem::remove(directory_ / "r/images.h5");
  expect_error(run("report r"), 3, "r/images.h5");
  expect_error(run("report"), 2, "RUN");
}

TEST_F(Report, ShowsAllSitesOfSeparateRun) {
  ASSERT_EQ(run("recon s/study.toml --out parts --separate").code, 0);
  const Json d = document("parts/report.html");
  EXPECT_EQ(d.at("images").at("stacks").size(), 8u);
  EXPECT_EQ(d.at("sinograms").at("stacks").size(), 8u);
  EXPECT_EQ(d.at("notes"), Json::array());
}

}  // namespace
}  // namespace firm
