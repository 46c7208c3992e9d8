// A study as lines of text; tests change single lines and read it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "firm/error.h"
#include "io/study/study_file.h"
#include "support/temporary_directory.h"

namespace firm {

// Line 1 is "[study]".
inline const std::vector<std::string> kGood = {
    "[study]",                          // 1
    "name = \"a study\"",               // 2
    "description = \"for the tests\"",  // 3
    "truth = \"truth.h5\"",             // 4
    "other = true",                     // 5
    "[image]",                          // 6
    "rows = 16",                        // 7
    "columns = 12",                     // 8
    "slices = 2",                       // 9
    "pixel_size = \"0.65 um\"",         // 10
    "[[site]]",                         // 11
    "name = \"xrf-1\"",                 // 12
    "kind = \"xrf\"",                   // 13
    "data = \"xrf-1.h5\"",              // 14
    "coefficient = 56.07",              // 15
    "sigma = 2",                        // 16
    "[[site]]",                         // 17
    "name = \"xrt\"",                   // 18
    "kind = \"xrt\"",                   // 19
    "data = \"data/xrt.h5\"",           // 20
    "spacing = \"1e-4 cm\"",            // 21
    "rotation_axis = 11",               // 22
    "minus_log = true",                 // 23
    "[solve]",                          // 24
    "stop = { discrepancy = 1.0e-2 }",  // 25
    "method = \"firm-ds\"",             // 26
    "step.fixed = false",               // 27
    "rounds = 100",                     // 28
    "[solve.log]",                      // 29
    "every = 1.0",                      // 30
};

using Lines = std::vector<std::string>;

inline StudyFile read(const TemporaryDirectory& directory, const Lines& lines) {
  std::ofstream file(directory / "study.toml", std::ios::binary);
  for (const std::string& line : lines) file << line << '\n';
  file.close();
  return read_study(directory / "study.toml");
}

// The good study with line `number` replaced by one or more lines.
inline Lines with(std::size_t number, const std::string& text) {
  Lines lines = kGood;
  lines[number - 1] = text;
  return lines;
}

inline Lines without(std::size_t first, std::size_t last) {
  Lines lines = kGood;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first - 1),
              lines.begin() + static_cast<std::ptrdiff_t>(last));
  return lines;
}

inline Lines without_xrf_and_other() {
  Lines lines = without(11, 16);
  lines[4] = "other = false";
  return lines;
}

struct Refusal {
  Lines lines;
  int line;
  std::string field;  // empty for syntax errors
  std::vector<std::string> words;
};

inline void expect_refused(const Refusal& refusal) {
  const TemporaryDirectory directory;
  std::string text;
  try {
    read(directory, refusal.lines);
    ADD_FAILURE() << "no error; expected one about " << refusal.field;
    return;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::kUsage);
    text = e.what();
  }
  std::string start = directory / "study.toml:" + std::to_string(refusal.line) + ": ";
  if (!refusal.field.empty()) start += refusal.field + ": ";
  EXPECT_EQ(text.substr(0, text.find("expected ")), start) << text;
  for (const std::string& word : refusal.words) EXPECT_CONTAINS(text, word);
  EXPECT_CONTAINS(text, ", found ");
}

inline void expect_all_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) expect_refused(refusal);
}

}  // namespace firm
