#include "io/files/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <span>
#include <system_error>

#include "firm/error.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListed = 8;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The digits at `at` without leading zeros; moves `at` behind them.
std::string number_at(const std::string& text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  const std::size_t first = std::min(text.find_first_not_of('0', begin), at);
  return text.substr(first, at - first);
}

bool before(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string m = number_at(a, i);
      const std::string n = number_at(b, j);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // equal but for leading zeros
}

// Names of the files, sorted.
std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code unreadable;
    if (name[0] != '.' && at->is_regular_file(unreadable)) names.push_back(std::move(name));
  }
  if (error) throw data_error({path, "", "a folder that can be read", error.message()});
  std::sort(names.begin(), names.end(), before);
  return names;
}

std::string some_of(const std::vector<std::string>& names) {
  const std::span<const std::string> listed(names.data(), std::min(names.size(), kListed));
  std::string text = fmt::format("{}", fmt::join(listed, ", "));
  if (names.size() > listed.size()) text += ", ...";
  return text;
}

}  // namespace

Folder list_folder(const std::string& path) {
  const std::vector<std::string> names = names_in(path);
  std::map<FileKind, std::vector<std::string>> by_kind;
  for (const std::string& name : names) {
    by_kind[kind_of_file((fs::path(path) / name).string())].push_back(name);
  }
  const std::vector<std::string>& hdf5 = by_kind[FileKind::kHdf5];
  const std::vector<std::string>& tiff = by_kind[FileKind::kTiff];
  if (hdf5.empty() == tiff.empty()) {
    const std::string found =
        names.empty()   ? "a directory without files"
        : !hdf5.empty() ? fmt::format("a directory with {} HDF5 files ({}) and {} TIFF files ({})",
                                      hdf5.size(), some_of(hdf5), tiff.size(), some_of(tiff))
                        : fmt::format("a directory with {} files of other formats: {}",
                                      names.size(), some_of(names));
    throw data_error({path, "",
                      "a folder with one HDF5 file of XRF-Maps or PyXRF for each angle, or with "
                      "TIFF files",
                      found});
  }
  Folder folder{path, hdf5.empty() ? FileKind::kTiff : FileKind::kHdf5, {}};
  for (const std::string& name : by_kind[folder.kind]) {
    folder.files.push_back((fs::path(path) / name).string());
  }
  return folder;
}

std::string name_of_file(const std::string& path) {
  const fs::path p(path);
  return (p.has_filename() ? p : p.parent_path()).filename().string();
}

}  // namespace firm
