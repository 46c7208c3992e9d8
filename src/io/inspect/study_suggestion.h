// Suggests lines of study.toml for a data file.
#pragma once

#include <string>

#include "io/inspect/inspect.h"

namespace firm {

std::string suggested_kind(const Inspection& r);  // "xrf" or "xrt"
// [image] and one [[site]]. Missing information is a comment to fill in; the study is refused until
// that is done.
std::string suggested_study(const Inspection& r, const ScanRequest& request);

}  // namespace firm
