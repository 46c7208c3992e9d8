#include "check/preflight.h"

#include <algorithm>

#include "check/preflight_checks.h"

namespace firm {
namespace preflight_checks {

void Findings::ok(const std::string& subject, const std::string& text) {
  on_finding_({Finding::Level::kOk, subject, text, "", {}});
}

void Findings::warning(const std::string& subject, const std::string& text,
                       const std::string& fix) {
  on_finding_({Finding::Level::kWarning, subject, text, fix, {}});
}

void Findings::error(Error::Kind kind, const std::string& subject, const std::string& text,
                     const std::string& fix) {
  exit_code_ = std::max(exit_code_, static_cast<int>(kind));
  on_finding_({Finding::Level::kError, subject, text, fix, kind});
}

}  // namespace preflight_checks

int preflight(const PreflightArguments& arguments, const Machine& machine,
              const OnFinding& on_finding) {
  using namespace preflight_checks;
  Findings findings(on_finding);
  const Context context{arguments, machine, findings};
  const std::optional<StudyToCheck> study = check_study(context);
  std::vector<Site> known;
  if (study) {
    known = check_data(context, *study);
    check_method(context, *study, known);
    check_federation(context, *study);
    check_truth(context, *study);
  }
  std::optional<Credentials> credentials;
  if (!arguments.pki.empty()) credentials = check_certificates(context, study ? &*study : nullptr);
  if (!arguments.listen.empty()) check_listen(context);
  if (!arguments.server.empty()) check_server(context, credentials);
  if (!arguments.out.empty()) check_out(context, study ? &*study : nullptr, known);
  return findings.exit_code();
}

}  // namespace firm
