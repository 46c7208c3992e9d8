// The checks of preflight.h, by what they are about. None throws firm::Error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "federation/pki/pki.h"
#include "model/study.h"
#include "check/preflight.h"

namespace firm::preflight_checks {

// Where checks put what they find.
class Findings {
 public:
  explicit Findings(const OnFinding& on_finding) : on_finding_(on_finding) {}

  void ok(const std::string& subject, const std::string& text);
  void warning(const std::string& subject, const std::string& text, const std::string& fix);
  void wrong(Error::Kind kind, const std::string& subject, const std::string& text,
             const std::string& fix);

  int exit_code() const { return exit_code_; }

 private:
  const OnFinding& on_finding_;
  int exit_code_ = 0;
};

struct Context {
  const PreflightArguments& arguments;
  const Machine& machine;
  Findings& findings;
};

// The study as it is to be used.
struct StudyToCheck {
  StudyFile file;
  SolveOptions options;
};

// preflight_study.cc. None when there is nothing to check data against.
std::optional<StudyToCheck> check_study(const Context& context);
// Whether the method can do it, given the rays of the sites that are known here.
void check_method(const Context& context, const StudyToCheck& study,
                  const std::vector<Site>& known);
void check_federation(const Context& context, const StudyToCheck& study);

// preflight_data.cc. The sites whose data is here and readable.
std::vector<Site> check_data(const Context& context, const StudyToCheck& study);
// The true images of the sites that are here.
void check_truth(const Context& context, const StudyToCheck& study);

// preflight_disk.cc.
void check_out(const Context& context, const StudyToCheck* study, const std::vector<Site>& known);

// preflight_network.cc. The first gives the credentials when they are good.
std::optional<Credentials> check_certificates(const Context& context, const StudyToCheck* study);
void check_listen(const Context& context);
void check_server(const Context& context, const std::optional<Credentials>& credentials);

}  // namespace firm::preflight_checks
