#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "core/shell_quote.h"
#include "firm/tools.h"
#include "terminal.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  CalibrateRequest request;
  bool json = false;
};

void print_text(const StudyCalibration& c, const CalibrateRequest& a) {
  fmt::print("  {:<12} {:<8} {:>11} {:>11} {:>11} {:>11} {:>11} {:>12}\n", "site", "element",
             "cm^2/g", "old scale", "factor", "+-", "new scale", "part of XRT");
  for (const CalibratedSite& s : c.sites) {
    fmt::print("  {:<12} {:<8} {:>11.4g} {:>11.4g} {:>11.5g} {:>11} {:>11.5g} {:>10.1f} %{}\n",
               s.name, s.matter, s.coefficient, s.old_scale, s.factor,
               s.uncertainty ? fmt::format("{:.2g}", *s.uncertainty) : "unknown", s.scale,
               100 * s.share, s.own_rays ? "" : "  by its image");
  }
  fmt::print("\n{} values; the residual is {:.2f} % of XRT, {:.2f} % after subtracting the noise\n",
             c.values, 100 * c.residual, 100 * c.unexplained);
  for (const std::string& warning : c.warnings) fmt::print("warning: {}\n", warning);
  if (a.out.empty()) {
    fmt::print("\nTo write the study with these scales: firm calibrate {} --out NEW.toml\n",
               shell_quote(a.study));
  } else {
    fmt::print("\nwrote {}\n", a.out);
  }
}

void run(const Arguments& a) {
  StudyCalibration found;
  {
    ProgressLine line;
    Observer observer;
    observer.progress = line.callback();
    observer.on_event = [&](const std::string& text) { line.print_event(text); };
    found = calibrate_study(a.request, observer);
  }
  if (a.json) {
    fmt::print("{}\n", to_json(found, a.request.out));
  } else {
    print_text(found, a.request);
  }
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand(
      "calibrate", "Find the scales that convert XRF data to g/cm^2, by comparison with XRT");
  verb->add_option("STUDY", a->request.study, "Study file, study.toml")->required();
  verb->add_option("--out", a->request.out,
                   "Study file to write, with the new scales (default: only print them)");
  verb->add_option("--threads", a->request.threads, "Threads (default: all)")
      ->check(CLI::Range(0, 1024));
  verb->add_flag("--json", a->json, "Print the result as JSON");
  verb->footer(
      "Fits XRT by the sum of factor x coefficient x XRF over all elements, with factors of 0 or\n"
      "more. The new `scale` of a site is the old one times its factor. With other = true the fit\n"
      "uses only rays without other matter. docs/data.md, Calibration, explains the method and\n"
      "the warnings.\n"
      "\n"
      "Examples:\n"
      "  firm calibrate study/study.toml\n"
      "  firm calibrate study/study.toml --out study/calibrated.toml");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
