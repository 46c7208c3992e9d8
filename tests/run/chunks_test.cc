#include "run/shard/chunks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/byte_size.h"
#include "firm/error.h"
#include "run/shard/chunk_result.h"
#include "run/store/history.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

// --- sizes

TEST(ByteSize, ReadsPowersOf1000AndOf1024) {
  EXPECT_EQ(parse_byte_size("2GB"), 2000000000u);
  EXPECT_EQ(parse_byte_size("1500MB"), 1500000000u);
  EXPECT_EQ(parse_byte_size("2GiB"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_byte_size("0.5 TB"), 500000000000u);
  EXPECT_EQ(parse_byte_size("3 kb"), 3000u);
  EXPECT_EQ(parse_byte_size("3KiB"), 3072u);
  EXPECT_EQ(parse_byte_size("1 tib"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_byte_size("1.5B"), 1u);
}

TEST(ByteSize, TakesNothingElse) {
  for (const char* text : {"", "2", "GB", "2XB", "-1GB", "0GB", "0.5B", "2GBs", "2 G B", "nanGB",
                           "infGB", "1e30TB", " 2GB", "2GB ", "0x2GB", "2,5GB"}) {
    EXPECT_FALSE(parse_byte_size(text)) << text;
  }
}

TEST(ByteSize, WritesForPeople) {
  EXPECT_EQ(byte_size_text(325 << 20), "325 MiB");
  EXPECT_EQ(byte_size_text(std::uint64_t{3} << 29), "1.5 GiB");
}

// --- plans

TEST(Chunks, DifferByOneSliceAtMost) {
  EXPECT_EQ(cut_slices(5, 1), (std::vector<SliceRange>{{0, 5}}));
  EXPECT_EQ(cut_slices(5, 3), (std::vector<SliceRange>{{0, 1}, {1, 2}, {3, 2}}));
  EXPECT_EQ(cut_slices(2, 7), (std::vector<SliceRange>{{0, 1}, {1, 1}}));
}

class Plan : public ::testing::Test {
 protected:
  ChunkPlan plan(std::optional<std::uint64_t> allowed, bool fixed = false) {
    return plan_chunks({1000, 100}, 10, options_, fixed, {allowed, available_});
  }

  SolveOptions options_;
  std::uint64_t available_ = 5000;
};

TEST_F(Plan, HasTheFewestChunksThatFit) {
  EXPECT_EQ(plan({}).chunks.size(), 1u);
  EXPECT_EQ(plan({}).needed, 2000u);
  EXPECT_EQ(plan(2000).chunks.size(), 1u);
  EXPECT_EQ(plan(1999).chunks.size(), 2u);
  EXPECT_EQ(plan(1999).needed, 1500u);
  EXPECT_EQ(plan(1499).chunks.size(), 3u);
  EXPECT_EQ(plan(1100).chunks.size(), 10u);
  EXPECT_EQ(plan(1199).needed, 1100u);
}

TEST_F(Plan, HasNoFewerThanTheOptionsSay) {
  options_.chunks = 4;
  EXPECT_EQ(plan({}).chunks.size(), 4u);
  EXPECT_EQ(plan(2000).chunks.size(), 4u);
  EXPECT_EQ(plan(1100).chunks.size(), 10u);
}

TEST_F(Plan, KeepsThoseOfARunThatIsResumed) {
  options_.chunks = 2;
  EXPECT_EQ(plan(1500, true).chunks.size(), 2u);
  EXPECT_CONTAINS(error_of([&] { plan(1499, true); }), "a run that is resumed keeps its chunks");
}

TEST_F(Plan, SaysWhatIsNeededAndWhatThereIs) {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  const auto wrong = [&](std::optional<std::uint64_t> allowed, std::uint64_t available) {
    return error_of([&] { plan_chunks({gib, gib}, 10, options_, false, {allowed, available}); });
  };
  EXPECT_CONTAINS(wrong(gib * 3 / 2, 100 * gib),
                  "--max-memory: expected at least 2.0 GiB for 1 slice by firm-ds, found 1.5 GiB");
  EXPECT_CONTAINS(wrong({}, 4 * gib), "memory: expected about 11.0 GiB for 10 slices by firm-ds");
  EXPECT_CONTAINS(wrong({}, 4 * gib), "found 4.0 GiB available; --max-memory 3865MB");
  // What is allowed may still be more than there is.
  EXPECT_CONTAINS(wrong(8 * gib, 4 * gib), "found 4.0 GiB available");
}

RunNeeds needs_of(const std::string& method, const Study& study, bool truth) {
  SolveOptions options;
  options.method = method;
  return run_needs(options, study, truth);
}

TEST(Needs, GrowWithTheStudyAndWithItsSlices) {
  Study study;
  study.image_rows = study.image_columns = 512;
  study.sites.resize(4);
  for (Site& site : study.sites) {
    site.geometry.angles.resize(180);
    site.geometry.beamlets = 726;
  }
  const std::uint64_t image = 4 * sizeof(float) * 512 * 512;
  for (const std::string& method : method_names()) {
    const RunNeeds all = needs_of(method, study, true);
    EXPECT_GT(all.per_slice, 5 * image) << method;
    EXPECT_EQ(all.per_slice - needs_of(method, study, false).per_slice, image) << method;
    Study apart = study;
    apart.sites[1].geometry.rotation_axis = 300;
    EXPECT_GT(needs_of(method, apart, true).per_slice, all.per_slice) << method;
    apart.other = true;
    EXPECT_GT(needs_of(method, apart, true).per_slice,
              needs_of(method, study, true).per_slice + 5 * image / 4);
  }
}

// --- history

TEST(History, GivesTheLinesOfAChunk) {
  const std::string lines =
      "{\"chunk\":0,\"round\":0}\n{\"chunk\":0,\"round\":1}\n{\"chunk\":1,\"round\":0}\n"
      "{\"chunk\":2,\"round\":0}\n{\"chunk\":2,\"rou";
  EXPECT_EQ(lines_of_chunk(lines, 1), "{\"chunk\":1,\"round\":0}\n");
  EXPECT_EQ(lines_after_chunk(lines, 1), "{\"chunk\":2,\"round\":0}\n");
  EXPECT_EQ(lines_before(lines_of_chunk(lines, 0), 1), "{\"chunk\":0,\"round\":0}\n");
  EXPECT_EQ(lines_before("{\"round\":0}\nnonsense\n{\"round\":1}\n", 5), "{\"round\":0}\n");
}

// --- results

class Results : public ::testing::Test {
 protected:
  Results() {
    for (std::size_t v = 0; v < 2; ++v) {
      variables_.emplace_back();
      variables_[v].name = v == 0 ? "xrf-1" : "xrt";
      variables_[v].measured = true;
      variables_[v].transmission = v == 1;
    }
  }

  // A chunk of two slices; values differ from chunk to chunk.
  ChunkResult result(std::size_t k, bool converged) {
    const double x = static_cast<double>(k + 1) / 3;
    Summary s;
    s.method = "firm";
    s.rounds = static_cast<int>(10 - k);
    s.exchanges = 7;
    s.local_iterations = 100;
    s.objective = x;
    s.step_norm = std::nextafter(x, 1.0);
    s.lambda_max = 2;
    s.projection_seconds = 1;
    s.seconds = 2;
    s.threads = 3;
    s.kernel = "scalar";
    s.certificate = {x, x, -x, x, x, x, {}};
    s.termination = {converged ? "kkt" : "rounds", fmt_number(k), converged};
    s.stop.kkt = 1e-3;
    s.sites = {{"xrf-1", 3 * x, x, 3, 10, 20, 4 * x}, {"xrt", x, x, 1, 10, 20, 3 * x}};
    s.error = 5 * x;
    return {{{2 * k, 2}, s, {"aa", "bb"}}, "identity\n", "stop.kkt = 0.001\n", "{\"round\":0}\n"};
  }
  static std::string fmt_number(std::size_t k) { return std::to_string(k); }

  std::string write(std::size_t k, bool converged = true) {
    Solution solution;
    solution.images = Block(6, 4);
    solution.multiplier = Block(6, 2);
    for (std::size_t j = 0; j < solution.images.size(); ++j) {
      solution.images.data()[j] = static_cast<float>(100 * k + j);
    }
    for (float& v : solution.multiplier.values()) v = static_cast<float>(k);
    std::string path = directory_ / (std::to_string(k) + ".h5");
    write_chunk(path, grid_, result(k, converged), variables_, images_of(solution));
    return path;
  }

  TemporaryDirectory directory_;
  ImageGrid grid_{2, 3, 1e-4};
  std::vector<Variable> variables_;
};

TEST_F(Results, AreReadAsTheyWereWritten) {
  const ChunkResult in = result(1, false);
  const ChunkResult out = read_chunk(write(1, false));
  EXPECT_EQ(out.identity, in.identity);
  EXPECT_EQ(out.stop, in.stop);
  EXPECT_EQ(out.history, in.history);
  EXPECT_EQ(out.facts.slices, in.facts.slices);
  EXPECT_EQ(out.facts.fingerprints, in.facts.fingerprints);
  const Summary& a = in.facts.summary;
  const Summary& b = out.facts.summary;
  // The texts have every number, the same ones to the last bit.
  RunFacts facts{"study", {}, {"aa", "bb"}, {}, {in.facts, in.facts}};
  EXPECT_EQ(reproducible_summary_json(b, facts), reproducible_summary_json(a, facts));
  EXPECT_EQ(b.seconds, a.seconds);
  EXPECT_EQ(b.projection_seconds, a.projection_seconds);
  EXPECT_EQ(b.threads, a.threads);
  EXPECT_EQ(b.kernel, a.kernel);
  EXPECT_EQ(b.stop.kkt, a.stop.kkt);
  EXPECT_EQ(b.step_norm, a.step_norm);
  EXPECT_FALSE(out.converged());
}

TEST_F(Results, AreRefusedWhenDamaged) {
  const Block images(6, 2);
  write_images(directory_ / "a.h5", grid_, {{"xrt", "attenuation", "1/cm", &images}},
               {"", "{\"identity\": 1}"});
  EXPECT_CONTAINS(error_of([&] { read_chunk(directory_ / "a.h5"); }),
                  "expected the result of a chunk");
}

TEST_F(Results, BecomeOneSummary) {
  const Summary s = join_chunks({result(0, true), result(1, true), result(2, true)});
  EXPECT_EQ(s.rounds, 10);
  EXPECT_EQ(s.exchanges, 21);
  EXPECT_EQ(s.local_iterations, 300);
  EXPECT_DOUBLE_EQ(s.objective, 2);
  EXPECT_DOUBLE_EQ(s.certificate.objective, 2);
  EXPECT_DOUBLE_EQ(s.certificate.min_w, -1);
  EXPECT_EQ(s.seconds, 6);
  EXPECT_EQ(s.sites[1].bytes_down, 60);
  const double norm = std::sqrt(1.0 + 4 + 9) / 3;
  EXPECT_DOUBLE_EQ(s.sites[0].residual, 3 * norm);
  EXPECT_DOUBLE_EQ(*s.sites[0].error, 4 * norm);
  EXPECT_DOUBLE_EQ(*s.error, 5 * norm);
  EXPECT_EQ(s.termination.message, "2");
  // ||A^T b|| is 1 in every chunk.
  EXPECT_DOUBLE_EQ(s.certificate.primal, norm);
  EXPECT_DOUBLE_EQ(s.certificate.stationarity, norm);
  EXPECT_DOUBLE_EQ(s.certificate.multiplier, norm);
  EXPECT_DOUBLE_EQ(s.certificate.relative, norm / std::sqrt(3.0));
}

// A chunk without matter changes nothing.
TEST_F(Results, HaveTheCertificateOfTheWhole) {
  ChunkResult one = result(0, true);
  ChunkResult two = result(1, true);
  ChunkResult empty = result(2, true);
  one.facts.summary.certificate = {1, 0.3, 0, 3e-3, 3e-3 / 5, 12, {}};
  two.facts.summary.certificate = {2, 0.4, 0, 4e-3, 4e-3 / 12, 5, {}};
  empty.facts.summary.certificate = {};
  for (const auto& chunks : {std::vector{one, two, empty}, std::vector{empty, one, two}}) {
    const Certificate c = join_chunks(chunks).certificate;
    EXPECT_DOUBLE_EQ(c.objective, 3);
    EXPECT_DOUBLE_EQ(c.primal, 0.5);
    EXPECT_DOUBLE_EQ(c.stationarity, 5e-3);
    EXPECT_DOUBLE_EQ(c.relative, 5e-3 / 13);
    EXPECT_DOUBLE_EQ(c.multiplier, 13);
  }
}

TEST_F(Results, TellOfTheFirstChunkThatHasNotConverged) {
  const Summary s = join_chunks({result(0, true), result(1, false), result(2, false)});
  EXPECT_EQ(s.termination.message, "1");
  EXPECT_FALSE(s.termination.converged);
  EXPECT_FALSE(join_chunks({result(0, true), result(1, false)}).termination.converged);
}

TEST_F(Results, GiveTheSlicesOfTheWholeVolume) {
  const std::vector<std::string> paths = {write(0), write(1)};
  const RunImages all = join_images(paths, {result(0, true), result(1, true)}, variables_, grid_);
  ASSERT_EQ(all.variables.size(), 2u);
  EXPECT_EQ(all.variables[0].count(), 4u);
  // Slice 3 is the second of chunk 1; XRT has columns 2 and 3 of 4.
  EXPECT_EQ(all.variables[1].slice(3).at(2), 100 + 2 * 4 + 3);
  EXPECT_EQ(all.variables[0].slice(1).at(5), 5 * 4 + 1);
  EXPECT_EQ(all.multiplier.slice(2).at(0), 1);
}

}  // namespace
}  // namespace firm
