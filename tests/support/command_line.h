// Runs the firm program as a user does, in a temporary directory.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temporary_directory.h"

namespace firm {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

class CommandLine : public ::testing::Test {
 protected:
  // Runs `before` FIRM_PROGRAM `arguments` in a shell; `before` sets limits and variables.
  Outcome run(const std::string& arguments, const std::string& before = "");

  // The program has ended with an error that contains `part`, and has printed no result.
  static void expect_error(const Outcome& outcome, int code, const std::string& part);

  // Simulates a small study in study/.
  void make_study();

  // summary.json and the lines of history.jsonl of a run.
  nlohmann::json summary(const std::string& run_directory) const;
  std::vector<nlohmann::json> history(const std::string& run_directory) const;

  TemporaryDirectory directory_;
};

}  // namespace firm
