// Lines for study.toml that fit a data file.
#pragma once

#include <string>

#include "io/inspect/inspect.h"

namespace firm {

// [image], and one [[site]]. What the file does not tell is a comment to be filled in, so that the
// study is refused until it is.
std::string suggested_kind(const Inspection& r);  // "xrf" or "xrt"
std::string suggested_study(const Inspection& r, const ScanRequest& request);

}  // namespace firm
