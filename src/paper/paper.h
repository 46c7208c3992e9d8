// Reproduces the tables and figures of the paper, for `firm paper`.
#pragma once

#include <string>
#include <vector>

#include "paper/campaign.h"
#include "paper/page.h"
#include "paper/plan.h"

namespace firm::paper {

struct PaperArguments {
  std::string out;                // directory; created if needed
  std::vector<std::string> only;  // items; empty: all
  Plan plan;
  int threads = 0;  // 0: all
};

// Names of all items.
std::vector<std::string> item_names();

// Runs all tasks that have no result in the directory yet, then writes
//
//   paper.html, paper.json   claims, findings, verdicts
//   data/, figures/          CSV, SVG and PNG of the items
//   results/                 one file per run, to resume a stopped command
//
// Throws Interrupted and firm::Error. Returns the content of paper.html.
Page make_paper(const PaperArguments& arguments, const CampaignCallbacks& callbacks);

}  // namespace firm::paper
