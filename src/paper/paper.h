// The paper's tables and figures, made again: what `firm paper` does.
#pragma once

#include <string>
#include <vector>

#include "paper/campaign.h"
#include "paper/page.h"
#include "paper/plan.h"

namespace firm::paper {

struct PaperArguments {
  std::string out;                // directory; created when needed
  std::vector<std::string> only;  // items; empty: all
  Plan plan;
  int threads = 0;  // 0: all
};

// Names of all items.
std::vector<std::string> item_names();

// Runs what has not been run before in that directory, then writes
//
//   paper.html, paper.json   claims, findings, verdicts
//   data/, figures/          CSV, SVG and PNG of the items
//   results/                 one file per run, from which a stopped run goes on
//
// Throws Interrupted, and firm::Error. Returns what paper.html shows.
Page make_paper(const PaperArguments& arguments, const CampaignCallbacks& callbacks);

}  // namespace firm::paper
