#include "paper/page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "firm/version.h"

namespace firm::paper {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #1c1c1c; background: #fff;
  max-width: 74rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; }
h2 { font-size: 1.25rem; margin-top: 2.6rem; border-bottom: 1px solid #ccc; padding-bottom: .2rem; }
p.setup, p.subtitle, figcaption, caption { color: #555; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem; border-bottom: 1px solid #ddd; }
table.data td, table.data th { text-align: right; font-variant-numeric: tabular-nums; }
table.data td:first-child, table.data th:first-child { text-align: left; }
caption { text-align: left; padding-bottom: .3rem; }
.scroll { overflow-x: auto; }
.verdict { white-space: nowrap; font-weight: 600; }
.holds { color: #00604a; } .partly { color: #7a5200; } .differs { color: #a03000; } .shown { color: #444; }
figure { margin: 1.4rem 0; } figure img { max-width: 100%; height: auto; }
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string verdict_class(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kPartly:
      return "partly";
    case Verdict::kDiffers:
      return "differs";
    case Verdict::kShown:
      return "shown";
  }
  return "";
}

// The sign tells verdicts apart without colour.
std::string verdict_cell(Verdict verdict) {
  const char* sign = "\u2139";
  if (verdict == Verdict::kHolds) sign = "\u2713";
  if (verdict == Verdict::kPartly) sign = "\u2248";
  if (verdict == Verdict::kDiffers) sign = "\u2717";
  return fmt::format(R"(<td class="verdict {}">{} {}</td>)", verdict_class(verdict), sign,
                     verdict_text(verdict));
}

std::string finding_row(const Finding& f) {
  std::string found = escaped(f.found);
  if (!f.why.empty()) found += "<br><em>Why:</em> " + escaped(f.why);
  return fmt::format("<tr><td>{}</td><td>{}</td>{}</tr>\n", escaped(f.claim), found,
                     verdict_cell(f.verdict));
}

std::string findings_table(const std::vector<Finding>& findings) {
  if (findings.empty()) return "";
  std::string html =
      "<table><thead><tr><th>The paper</th><th>Here</th><th>Verdict</th></tr></thead>\n<tbody>\n";
  for (const Finding& f : findings) html += finding_row(f);
  return html + "</tbody></table>\n";
}

std::string data_table(const Table& table) {
  std::string html =
      fmt::format("<div class=\"scroll\"><table class=\"data\"><caption>{}</caption>\n<thead><tr>",
                  escaped(table.caption));
  for (const std::string& cell : table.head) html += "<th>" + escaped(cell) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + escaped(cell) + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string section_html(const Section& s) {
  std::string html = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"setup\">{}</p>\n",
                                 s.name, escaped(s.title), escaped(s.setup));
  html += findings_table(s.findings);
  for (const Table& table : s.tables) html += data_table(table);
  for (const Picture& p : s.pictures) {
    html += fmt::format("<figure><img src=\"{}\" alt=\"{}\"><figcaption>{}</figcaption></figure>\n",
                        escaped(p.file), escaped(p.caption), escaped(p.caption));
  }
  if (!s.files.empty()) html += "<p>Data:";
  for (const std::string& file : s.files) {
    html += fmt::format(" <a href=\"{0}\">{0}</a>", escaped(file));
  }
  if (!s.files.empty()) html += "</p>\n";
  return html + "</section>\n";
}

std::string contents(const std::vector<Section>& sections) {
  std::string html = "<table><thead><tr><th>Item</th><th>Verdicts</th></tr></thead>\n<tbody>\n";
  for (const Section& s : sections) {
    int counts[4] = {};
    for (const Finding& f : s.findings) ++counts[static_cast<int>(f.verdict)];
    std::string summary;
    for (int v = 0; v < 4; ++v) {
      if (counts[v] == 0) continue;
      const auto verdict = static_cast<Verdict>(v);
      summary +=
          fmt::format("{}<span class=\"verdict {}\">{} {}</span>", summary.empty() ? "" : ", ",
                      verdict_class(verdict), counts[v], verdict_text(verdict));
    }
    html += fmt::format("<tr><td><a href=\"#{}\">{}</a></td><td>{}</td></tr>\n", s.name,
                        escaped(s.title), summary);
  }
  return html + "</tbody></table>\n";
}

}  // namespace

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kPartly:
      return "holds in part";
    case Verdict::kDiffers:
      return "differs";
    case Verdict::kShown:
      return "our figure";
  }
  return "";
}

std::string page_html(const Page& page) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>FIRM: the paper, reproduced</title>\n<style>{}</style></head>\n<body>\n"
      "<h1>FIRM: the paper, reproduced</h1>\n<p>This page compares the claims of the paper with "
      "the results of its experiments on this machine. The program computes each verdict from the "
      "numbers. The data of every figure is linked below it.</p>\n<p class=\"subtitle\">{}</p>\n",
      kStyle, escaped(page.subtitle));
  html += contents(page.sections);
  for (const Section& s : page.sections) html += section_html(s);
  return html + "</body></html>\n";
}

std::string page_json(const Page& page) {
  nlohmann::ordered_json sections = nlohmann::ordered_json::array();
  for (const Section& s : page.sections) {
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const Finding& f : s.findings) {
      findings.push_back({{"claim", f.claim},
                          {"found", f.found},
                          {"verdict", verdict_class(f.verdict)},
                          {"why", f.why}});
    }
    sections.push_back({{"name", s.name}, {"title", s.title}, {"findings", findings}});
  }
  const nlohmann::ordered_json json = {
      {"version", kVersion}, {"subtitle", page.subtitle}, {"sections", sections}};
  return json.dump(2) + "\n";
}

}  // namespace firm::paper
