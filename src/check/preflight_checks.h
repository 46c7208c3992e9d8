// The checks of preflight.h, by subject. None throws firm::Error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/preflight.h"
#include "federation/pki/certificates.h"
#include "firm/study.h"

namespace firm::preflight_checks {

// Collects the findings of the checks.
class Findings {
 public:
  explicit Findings(const OnFinding& on_finding) : on_finding_(on_finding) {}

  void ok(const std::string& subject, const std::string& text);
  void warning(const std::string& subject, const std::string& text, const std::string& fix);
  void error(Error::Kind kind, const std::string& subject, const std::string& text,
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

// The study and its options, as a run would use them.
struct StudyToCheck {
  StudyFile file;
  SolveOptions options;
};

// preflight_study.cc. Returns nothing when the study cannot be used to check data.
std::optional<StudyToCheck> check_study(const Context& context);
// Checks that the method supports the study, given the sites whose rays are known here.
void check_method(const Context& context, const StudyToCheck& study,
                  const std::vector<Site>& known);
void check_federation(const Context& context, const StudyToCheck& study);

// The study of `file` with the geometry of one site, and empty places for the others: the first is
// the site, or the last where it is XRT.
Study study_with_one(const StudyFile& file, const Site& site);

// preflight_data.cc. Returns the sites whose data is here and readable.
std::vector<Site> check_data(const Context& context, const StudyToCheck& study);
// Checks the true images of the sites that are here, if there are any.
void check_truth(const Context& context, const StudyToCheck& study);

// preflight_disk.cc.
void check_out(const Context& context, const StudyToCheck* study, const std::vector<Site>& known);

// preflight_network.cc. check_certificates returns the credentials if they are valid.
std::optional<Credentials> check_certificates(const Context& context, const StudyToCheck* study);
void check_listen(const Context& context);
void check_server(const Context& context, const std::optional<Credentials>& credentials);

}  // namespace firm::preflight_checks
