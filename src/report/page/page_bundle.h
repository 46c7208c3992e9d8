// The page that the build makes from web/: one HTML text with its script and style.
#pragma once

#include <string_view>

namespace firm {

std::string_view page_bundle();

}  // namespace firm
