// Errors from the outside world: a file, a study, a command line, the network.
//
// Three kinds of failure are kept apart throughout FIRM:
//   - the input is wrong          -> firm::Error, thrown, with where / field / expected / found;
//   - the calling code is wrong   -> FIRM_CHECK, which throws std::logic_error;
//   - the numbers end a run early -> a value in the run's summary, never an exception.
#pragma once

#include <stdexcept>
#include <string>

namespace firm {

class Error : public std::runtime_error {
 public:
  // The value is the exit code of the command line.
  enum class Kind { kUsage = 2, kData = 3, kNetwork = 4 };

  Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  Kind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }

 private:
  Kind kind_;
};

// The four parts of an error message, enough for the reader to correct the input. Formatted as
// "where: field: expected ..., found ...".
struct Mismatch {
  std::string where;  // a file, a table of the study, an option
  std::string field;  // a dataset, a key, a member
  std::string expected;
  std::string found;
};

Error usage_error(const Mismatch& m);
Error data_error(const Mismatch& m);

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace firm

// Checks a precondition that only a bug in the calling code can violate.
#define FIRM_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::firm::check_failed(#condition, __FILE__, __LINE__))
