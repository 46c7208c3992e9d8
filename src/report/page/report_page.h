// The page of web/ as one self-contained HTML text.
#pragma once

#include <string>
#include <string_view>

namespace firm {

// Inserts the document, which docs/report.md describes. Escapes it so that no text in it can end
// the element that holds it.
std::string report_page(std::string_view json);
// Returns the document in such a page; empty if there is none.
std::string document_in_page(std::string_view html);

// The page that a server delivers. It requests its document from that server, and may connect to no
// other.
std::string live_page();

}  // namespace firm
