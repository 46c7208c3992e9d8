// Section: one item of the page, with the paper's claims and our findings.
#pragma once

#include <string>
#include <vector>

namespace firm::paper {

enum class Verdict {
  kHolds,
  kPartly,   // holds in part, or only roughly
  kDiffers,  // we find something else
  kShown,    // our own figure, with nothing to compare with
};

// All members are plain text. Numbers of findings are computed, never typed.
struct Finding {
  std::string claim;  // of the paper
  std::string found;  // our result
  Verdict verdict = Verdict::kShown;
  std::string why;  // reason for a difference
};

struct Picture {
  std::string file;  // relative to the page
  std::string caption;
};

struct Table {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

struct Section {
  std::string name;   // as in --only
  std::string title;  // of the section on the page
  std::string setup;  // description of the experiment
  std::vector<Finding> findings = {};
  std::vector<Table> tables = {};
  std::vector<Picture> pictures = {};
  std::vector<std::string> files = {};  // data files, relative to the page
};

std::string verdict_text(Verdict verdict);

inline Verdict holds_if(bool condition) { return condition ? Verdict::kHolds : Verdict::kDiffers; }

}  // namespace firm::paper
