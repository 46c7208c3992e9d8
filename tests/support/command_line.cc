#include "support/command_line.h"

#include <sys/wait.h>

#include <cstdlib>

#include "support/json_files.h"

namespace firm {

Outcome CommandLine::run(const std::string& arguments, const std::string& before) {
  const std::string command = "cd '" + directory_.path() + "' && " + before +
                              " '" FIRM_PROGRAM "' " + arguments + " >.out 2>.err </dev/null";
  const int status = std::system(command.c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return {code, file_content(directory_ / ".out"), file_content(directory_ / ".err")};
}

void CommandLine::expect_error(const Outcome& outcome, int code, const std::string& part) {
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.out, "");
  // On a busy machine, lines of progress can come before the error.
  const std::size_t at = ("\n" + outcome.err).find("\nfirm: error: ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_CONTAINS(outcome.err.substr(at), part);
}

void CommandLine::make_study() {
  ASSERT_EQ(run("simulate --out study --size 16 --angles 5").code, 0);
}

nlohmann::json CommandLine::summary(const std::string& run_directory) const {
  return read_json(directory_ / (run_directory + "/summary.json"));
}

std::vector<nlohmann::json> CommandLine::history(const std::string& run_directory) const {
  return read_json_lines(directory_ / (run_directory + "/history.jsonl"));
}

}  // namespace firm
