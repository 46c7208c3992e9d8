// What the build makes of web/: HTML with its script and style in it.
#pragma once

#include <string_view>

namespace firm {

std::string_view page_bundle();

}  // namespace firm
