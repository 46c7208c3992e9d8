#include "report/report_page.h"

#include "firm/error.h"
#include "report/page_bundle.h"

namespace firm {
namespace {

// What stands in the page where the document belongs.
constexpr std::string_view kPlace = R"({"firm":"document"})";

}  // namespace

std::string report_page(std::string_view json) {
  const std::string_view page = page_bundle();
  const std::size_t at = page.find(kPlace);
  FIRM_CHECK(at != std::string_view::npos);
  std::string html;
  html.reserve(page.size() + json.size());
  html += page.substr(0, at);
  // Outside of texts JSON has no '<', and within them this means the same.
  for (const char c : json) {
    if (c == '<') {
      html += "\\u003c";
    } else {
      html += c;
    }
  }
  html += page.substr(at + kPlace.size());
  return html;
}

}  // namespace firm
