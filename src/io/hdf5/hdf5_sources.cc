#include "io/hdf5/hdf5_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "firm/error.h"

namespace firm::h5 {
namespace {

namespace fs = std::filesystem;

// Virtual datasets made of virtual datasets, at most.
constexpr int kMostLevels = 4;
constexpr const char* kOwnFile = ".";  // a virtual dataset calls its own file so

// Whether `child`, named in `file`, is an ordinary file below the folder of `file`, also once
// symbolic links are resolved.
bool is_below(const std::string& file, const std::string& child) {
  std::error_code failure;
  const fs::path folder = fs::canonical(fs::absolute(file).parent_path(), failure);
  if (failure) return false;
  const fs::path target = fs::weakly_canonical(folder / child, failure);
  if (failure) return false;
  const auto [end, ignored] =
      std::mismatch(folder.begin(), folder.end(), target.begin(), target.end());
  static_cast<void>(ignored);
  const fs::file_status status = fs::status(target, failure);
  return end == folder.end() && (!fs::exists(status) || fs::is_regular_file(status));
}

Error refusal(const std::string& file, const std::string& path, OtherFiles others,
              const std::string& found) {
  const char* expected = others == OtherFiles::kBelow
                             ? "data in this file, or in files below its folder"
                             : "all data in this file";
  const char* fix =
      others == OtherFiles::kBelow
          ? "copy the data into one file (docs/formats.md, \"Data in several files\")"
          : "copy the data into one file, or allow files below the folder of this one: "
            "external_files = true for the site, --external-files (docs/formats.md, \"Data in "
            "several files\")";
  return data_error({file, path, expected, fmt::format("{}; {}", found, fix)});
}

// A text that the library returns in two calls: its length, then its content.
template <typename Get>
std::string library_text(const Get& get) {
  const ssize_t size = get(nullptr, 0);
  if (size <= 0) return "";
  std::string text(static_cast<std::size_t>(size), '\0');
  get(text.data(), text.size() + 1);
  return text;
}

void refuse_external_storage(const Reader& reader, const std::string& path, hid_t properties) {
  if (H5Pget_external_count(properties) <= 0) return;
  std::string name(4096, '\0');
  H5Pget_external(properties, 0, name.size() - 1, name.data(), nullptr, nullptr);
  name.resize(std::min(name.find('\0'), name.size()));
  throw data_error({reader.file(), path, "all data in this file",
                    fmt::format("values in another file, {}; copy them into one file "
                                "(docs/formats.md, \"Data in several files\")",
                                name)});
}

// The datasets that a virtual dataset is made of: names of file and dataset.
std::set<std::pair<std::string, std::string>> sources_of(hid_t properties) {
  std::size_t count = 0;
  H5Pget_virtual_count(properties, &count);
  std::set<std::pair<std::string, std::string>> sources;
  for (std::size_t k = 0; k < count; ++k) {
    sources.emplace(library_text([&](char* text, std::size_t size) {
                      return H5Pget_virtual_filename(properties, k, text, size);
                    }),
                    library_text([&](char* text, std::size_t size) {
                      return H5Pget_virtual_dsetname(properties, k, text, size);
                    }));
  }
  return sources;
}

class StorageCheck {
 public:
  std::uintmax_t check(const Reader& reader, const std::string& path, hid_t dataset, int level) {
    const Handle properties(H5Dget_create_plist(dataset));
    refuse_external_storage(reader, path, properties.get());
    if (H5Pget_layout(properties.get()) != H5D_VIRTUAL) return 0;
    if (level == kMostLevels) {
      throw data_error({reader.file(), path,
                        fmt::format("virtual datasets within each other {} times at most", level),
                        "more"});
    }
    std::uintmax_t bytes = 0;
    for (const auto& [file, name] : sources_of(properties.get())) {
      bytes += check_source(reader, path, file, name, level);
    }
    return bytes;
  }

 private:
  std::uintmax_t check_source(const Reader& reader, const std::string& path,
                              const std::string& file, const std::string& name, int level) {
    if (file == kOwnFile) {
      if (reader.has(name)) check(reader, name, reader.open(name).get(), level + 1);
      return 0;
    }
    const bool pattern = file.find('%') != std::string::npos;
    if (reader.others() != OtherFiles::kBelow || pattern || !is_below(reader.file(), file)) {
      throw refusal(reader.file(), path, reader.others(),
                    fmt::format("a virtual dataset made of {} in {}", name, file));
    }
    const std::string target = (fs::path(reader.file()).parent_path() / file).string();
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(target, failure);
    if (failure) return 0;  // there is no such file: its values are missing
    const Reader source(target, reader.others());
    std::uintmax_t bytes = files_.insert(target).second ? size : 0;
    if (source.has(name)) bytes += check(source, name, source.open(name).get(), level + 1);
    return bytes;
  }

  std::set<std::string> files_;  // that were counted
};

}  // namespace

LinkGuard::LinkGuard(std::string file, OtherFiles others)
    : file_(std::move(file)), others_(others), properties_(H5Pcreate(H5P_LINK_ACCESS)) {
  FIRM_CHECK(H5Pset_elink_cb(properties_.get(), follow, this) >= 0);
}

herr_t LinkGuard::follow(const char* parent_file, const char* /*parent_group*/,
                         const char* child_file, const char* child_object, unsigned* /*flags*/,
                         hid_t /*access*/, void* self) {
  auto& guard = *static_cast<LinkGuard*>(self);
  if (guard.others_ == OtherFiles::kBelow && is_below(parent_file, child_file)) return 0;
  guard.refused_ = fmt::format("an external link to {} in {}", child_object, child_file);
  return -1;
}

void LinkGuard::check(const std::string& path) {
  if (refused_.empty()) return;
  throw refusal(file_, path, others_, std::exchange(refused_, ""));
}

std::uintmax_t check_storage(const Reader& reader, const std::string& path, hid_t dataset) {
  return StorageCheck().check(reader, path, dataset, 0);
}

}  // namespace firm::h5
