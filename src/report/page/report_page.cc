#include "report/page/report_page.h"

#include "firm/error.h"
#include "report/page/page_bundle.h"

namespace firm {
namespace {

// Placeholders for the document in the page.
constexpr std::string_view kDocument = R"({"firm":"document"})";
constexpr std::string_view kLive = R"({"firm":"live"})";
constexpr std::string_view kBegin = R"(id="firm-document">)";
constexpr std::string_view kEnd = "</script>";
constexpr std::string_view kNoServer = "connect-src 'none'";
constexpr std::string_view kOwnServer = "connect-src 'self'";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  FIRM_CHECK(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

std::string report_page(std::string_view json) {
  const std::string_view page = page_bundle();
  const std::size_t at = page.find(kDocument);
  FIRM_CHECK(at != std::string_view::npos);
  std::string html;
  html.reserve(page.size() + json.size());
  html += page.substr(0, at);
  // JSON has '<' only within strings, where this escape means the same.
  for (const char c : json) {
    if (c == '<') {
      html += "\\u003c";
    } else {
      html += c;
    }
  }
  html += page.substr(at + kDocument.size());
  return html;
}

std::string document_in_page(std::string_view html) {
  const std::size_t mark = html.find(kBegin);
  if (mark == std::string_view::npos) return "";
  const std::size_t begin = mark + kBegin.size();
  const std::size_t end = html.find(kEnd, begin);
  if (end == std::string_view::npos) return "";
  return std::string(html.substr(begin, end - begin));
}

std::string live_page() {
  return replaced(replaced(std::string(page_bundle()), kDocument, kLive), kNoServer, kOwnServer);
}

}  // namespace firm
