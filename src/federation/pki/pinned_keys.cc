#include "federation/pki/pinned_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "federation/pki/issued_list.h"
#include "firm/error.h"
#include "io/files/pending_file.h"

namespace firm {
namespace {

// Lines with their ends, so that joining them gives the text again.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

std::string without_indent(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

// Whether the line sets this key.
bool sets(const std::string& line, const std::string& key) {
  const std::string text = without_indent(line);
  if (!text.starts_with(key)) return false;
  const std::size_t next = text.find_first_not_of(" \t", key.size());
  return next != std::string::npos && text[next] == '=';
}

// A line that sets the key, with the indentation, comment and end of the line that it replaces or
// follows.
std::string key_line(const std::string& model, const std::string& key, bool replaces) {
  const std::string indent = model.substr(0, model.size() - without_indent(model).size());
  const std::string end = model.ends_with("\r\n") ? "\r\n" : "\n";
  const std::size_t comment = replaces ? model.find('#') : std::string::npos;
  const std::string rest =
      comment == std::string::npos ? "  # of its certificate" + end : "  " + model.substr(comment);
  return fmt::format("{}key = \"{}\"{}", indent, key, rest);
}

// Sets the key of the site whose table begins at lines[first].
void set_key(std::vector<std::string>& lines, std::size_t first, const std::string& key) {
  std::size_t after = first;  // the line that a new one follows
  for (std::size_t k = first + 1; k < lines.size(); ++k) {
    if (without_indent(lines[k]).starts_with('[')) break;
    if (sets(lines[k], "key")) {
      lines[k] = key_line(lines[k], key, true);
      return;
    }
    if (sets(lines[k], "name")) after = k;
  }
  if (!lines[after].ends_with('\n')) lines[after] += '\n';
  const std::string& model = lines[after];
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(after) + 1, key_line(model, key, false));
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

Error by_hand(const std::string& path, const std::string& found) {
  return usage_error({path, "[[site]]", "one table [[site]] per site, to write its key into",
                      found + "; write key = \"...\" for each site by hand"});
}

// Throws unless the study has this site.
void find_site(const StudyFile& study, const std::string& path, const std::string& name) {
  if (std::ranges::find(study.sites, name, &SiteEntry::name) != study.sites.end()) return;
  std::vector<std::string> names;
  for (const SiteEntry& site : study.sites) names.push_back(site.name);
  throw usage_error({path, "[[site]]", fmt::format("a site with the name \"{}\"", name),
                     fmt::format("{}", fmt::join(names, ", "))});
}

void write_keys(const std::string& study, const std::map<std::string, std::string>& keys) {
  const std::optional<std::string> text = read_text_file(study);
  write_text_file(study, with_keys(text.value_or(""), study, keys));
}

}  // namespace

std::string with_keys(const std::string& text, const std::string& path,
                      const std::map<std::string, std::string>& keys) {
  StudyFile study = parse_study(text, path);
  std::vector<std::string> lines = lines_of(text);
  for (const auto& [name, key] : keys) find_site(study, path, name);
  // From the last site to the first, so that lines before stay where they are.
  for (std::size_t k = study.sites.size(); k-- > 0;) {
    SiteEntry& site = study.sites[k];
    const auto key = keys.find(site.name);
    if (key == keys.end()) continue;
    const auto line = static_cast<std::size_t>(site.line - 1);
    if (line >= lines.size() || !without_indent(lines[line]).starts_with("[[site]]")) {
      throw by_hand(fmt::format("{}:{}", path, site.line), "another way to write it");
    }
    set_key(lines, line, key->second);
    site.key = key->second;
  }
  std::string changed = join(lines);
  // The text is edited by lines: make sure that it says what it should.
  if (!(parse_study(changed, path) == study)) throw by_hand(path, "a layout that cannot be edited");
  return changed;
}

PinnedStudy pin_keys(const std::string& study, const std::string& directory) {
  const StudyFile before = read_study(study);
  PinnedStudy result;
  std::map<std::string, std::string> keys;
  for (const SiteEntry& site : before.sites) {
    const auto last = last_issued(directory, site.name);
    if (!last) {
      result.unknown.push_back(site.name);
    } else if (last->key_fingerprint != site.key) {
      keys[site.name] = last->key_fingerprint;
      result.changed.push_back(site.name);
    }
  }
  if (!keys.empty()) write_keys(study, keys);
  return result;
}

void pin_key(const std::string& study, const std::string& site, const std::string& key) {
  write_keys(study, {{site, key}});
}

void require_site(const std::string& study, const std::string& site) {
  find_site(read_study(study), study, site);
}

std::map<std::string, std::string> pinned_keys(const StudyFile& study) {
  std::map<std::string, std::string> keys;
  for (const SiteEntry& site : study.sites) {
    if (!site.key.empty()) keys[site.name] = site.key;
  }
  return keys;
}

void check_pinned_key(const std::map<std::string, std::string>& keys,
                      const CertificateFacts& facts) {
  const auto key = keys.find(facts.name);
  if (key == keys.end() || key->second == facts.key_fingerprint) return;
  throw Error(
      Error::Kind::kNetwork,
      fmt::format("certificate of {}: expected the key that the study names, {}..., found "
                  "{}...; use that key, or put the new one into the study, at all sites",
                  facts.name, key->second.substr(0, 16), facts.key_fingerprint.substr(0, 16)));
}

std::vector<std::string> sites_without_key(const StudyFile& study) {
  std::vector<std::string> names;
  for (const SiteEntry& site : study.sites) {
    if (site.key.empty()) names.push_back(site.name);
  }
  return names;
}

std::string warn_unpinned(const StudyFile& study) {
  const std::vector<std::string> names = sites_without_key(study);
  if (names.empty()) return "";
  return fmt::format(
      "the study names no key for {}: whoever has the key of the authority can pose as {}. The "
      "authority pins keys with firm pki pin STUDY --dir PKI; all members then use that study",
      fmt::join(names, ", "), names.size() == 1 ? "it" : "them");
}

}  // namespace firm
