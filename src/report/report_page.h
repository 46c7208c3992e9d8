// The page of web/, as one file that needs no other.
#pragma once

#include <string>
#include <string_view>

namespace firm {

// `json`: the document that docs/report.md describes. Nothing in it can end the element that holds
// it, whatever it contains.
std::string report_page(std::string_view json);

}  // namespace firm
