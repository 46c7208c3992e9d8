// Section: one item of the page, with what the paper claims and what was found.
#pragma once

#include <string>
#include <vector>

namespace firm::paper {

enum class Verdict {
  kHolds,
  kPartly,   // holds in part, or only roughly
  kDiffers,  // we find something else
  kShown,    // there is nothing to compare with: our own figure
};

// Everything is plain text; numbers are computed, never typed.
struct Finding {
  std::string claim;  // what the paper says
  std::string found;  // what we see
  Verdict verdict = Verdict::kShown;
  std::string why;  // for what differs
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
  std::string title;  // for people
  std::string setup;  // what was run
  std::vector<Finding> findings = {};
  std::vector<Table> tables = {};
  std::vector<Picture> pictures = {};
  std::vector<std::string> files = {};  // data, relative to the page
};

std::string verdict_text(Verdict verdict);

inline Verdict holds_if(bool condition) { return condition ? Verdict::kHolds : Verdict::kDiffers; }

}  // namespace firm::paper
