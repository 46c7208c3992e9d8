#include "paper/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firm/error.h"
#include "io/files/pending_file.h"

namespace firm::paper {

Csv::Csv(const std::vector<std::string>& head) : columns_(head.size()) { row(head); }

void Csv::row(const std::vector<std::string>& cells) {
  FIRM_CHECK(cells.size() == columns_);
  text_ += fmt::format("{}\n", fmt::join(cells, ","));
}

void Csv::write(const std::string& path) const { write_text_file(path, text_); }

std::string cell(double value) { return fmt::format("{}", value); }

}  // namespace firm::paper
