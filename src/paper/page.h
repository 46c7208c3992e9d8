// paper.html, for people, and paper.json, the same for programs.
#pragma once

#include <string>
#include <vector>

#include "paper/section.h"

namespace firm::paper {

struct Page {
  std::string subtitle;  // what was run, with what
  std::vector<Section> sections;
};

std::string page_html(const Page& page);
std::string page_json(const Page& page);

}  // namespace firm::paper
