// Runs the program itself.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "support/temporary_directory.h"

namespace firm {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

class CommandLine : public ::testing::Test {
 protected:
  // `before` is put in front of the command, for limits and variables.
  Outcome run(const std::string& arguments, const std::string& before = "") {
    const std::string command = "cd '" + directory_.path() + "' && " + before +
                                " '" FIRM_PROGRAM "' " + arguments + " >.out 2>.err </dev/null";
    const int status = std::system(command.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return {code, file_content(directory_ / ".out"), file_content(directory_ / ".err")};
  }

  void expect_error(const Outcome& outcome, int code, const std::string& part) {
    EXPECT_EQ(outcome.code, code);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.rfind("firm: error: ", 0), 0u) << outcome.err;
    EXPECT_CONTAINS(outcome.err, part);
  }

  void make_study() { ASSERT_EQ(run("simulate --out study --size 16 --angles 5").code, 0); }

  TemporaryDirectory directory_;
};

}  // namespace firm
