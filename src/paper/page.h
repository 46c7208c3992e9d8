// Content of paper.html, and of paper.json, the same for programs.
#pragma once

#include <string>
#include <vector>

#include "paper/section.h"

namespace firm::paper {

struct Page {
  std::string subtitle;  // version, plan and threads of the run
  std::vector<Section> sections;
};

std::string page_html(const Page& page);
std::string page_json(const Page& page);

}  // namespace firm::paper
