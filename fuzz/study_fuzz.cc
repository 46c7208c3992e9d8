// Reads study files with any content. A study must be read, or refused with a firm::Error, and must
// be the same after writing and reading it again.
#include "federation/protocol/terms.h"
#include "firm/error.h"
#include "input.h"
#include "io/study/study_file.h"
#include "memory_file.h"
#include "run/study_inputs.h"

namespace firm {
namespace {

void run(const std::string& text) {
  static const MemoryFile file;
  file.write(text);
  StudyFile study;
  SolveOptions options;
  try {
    study = read_study(file.path());
    options = options_of(study, file.path(), {});
  } catch (const Error&) {
    return;
  }
  require(!terms_of(study, options).empty() && most_pixels(study) > 0, "a study has terms");
  file.write(study_text(study));
  require(read_study(file.path()) == study, "a study is the same after writing and reading");
  const StudyFile resolved = resolved_study(study, {"a/study.toml", "b", ""}, {}, options);
  options_of(resolved, file.path(), {});
}

std::vector<std::string> seeds() {
  StudyFile study;
  study.name = "zeolite \"2027\"";
  study.description = "two lines\nof text";
  study.truth = "truth.h5";
  study.rows = study.columns = 250;
  study.slices = 3;
  study.pixel_size = 1e-4;
  SiteEntry xrf;
  xrf.name = "xrf-1";
  xrf.kind = "xrf";
  xrf.data = "xrf-1.h5";
  xrf.coefficient = 12.5;
  xrf.spacing = 2e-4;
  SiteEntry xrt;
  xrt.name = "xrt";
  xrt.kind = "xrt";
  xrt.data = "xrt.h5";
  xrt.sigma = 0.01;
  xrt.rotation_axis = 3.25;
  xrt.prepare.minus_log = true;
  xrt.key = std::string(64, 'a');
  study.sites = {xrf, xrt};
  std::vector<std::string> all = {study_text(study)};
  study = resolved_study(study, {"study.toml", ".", ""}, {}, SolveOptions{});
  study.other = true;
  all.push_back(study_text(study));
  return all;
}

}  // namespace
}  // namespace firm

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  firm::write_seeds(*argc, *argv, firm::seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  firm::run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
