#include "live/finished_runs.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "firm/error.h"
#include "report/page/report_page.h"
#include "run/report/run_report.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

// Prefers the saved report, which may hold images to compare with; rebuilds the document if there
// is none.
std::string document_of(const std::string& directory) {
  const std::string saved = saved_document(directory);
  return saved.empty() ? report_document({{directory}}) : saved;
}

}  // namespace

std::string saved_document(const std::string& directory) {
  if (!fs::exists(fs::path(directory) / "summary.json")) return "";
  std::ifstream in(fs::path(directory) / "report.html", std::ios::binary);
  return document_in_page(std::string(std::istreambuf_iterator<char>(in), {}));
}

std::string finished_runs_document(const std::vector<std::string>& directories) {
  FIRM_CHECK(!directories.empty());
  if (directories.size() == 1) return document_of(directories.front());
  // Joins the documents as texts: they are too long to parse and write again.
  std::string all = R"({"format":"firm-comparison","version":1,"runs":[)";
  for (std::size_t k = 0; k < directories.size(); ++k) {
    const std::string name = nlohmann::json(directories[k])
                                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    all += (k > 0 ? "," : "");
    all += R"({"name":)" + name + R"(,"document":)" + document_of(directories[k]) + "}";
  }
  return all + "]}";
}

}  // namespace firm
