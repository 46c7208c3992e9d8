// The page of web/, as one file that needs no other.
#pragma once

#include <string>
#include <string_view>

namespace firm {

// `json`: the document that docs/report.md describes. Nothing in it can end the element that holds
// it, whatever it contains.
std::string report_page(std::string_view json);
// The document in such a page; empty: there is none.
std::string document_in_page(std::string_view html);

// The page of a server: it asks for its document, there and nowhere else.
std::string live_page();

}  // namespace firm
