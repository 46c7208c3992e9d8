#include "io/hdf5/hdf5_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "firm/error.h"

namespace firm::h5 {
namespace {

namespace fs = std::filesystem;

// Virtual datasets made of virtual datasets, at most.
constexpr int kMostLevels = 4;
constexpr const char* kOwnFile = ".";  // a virtual dataset calls its own file so

// Whether the library finds `child`, which is not below the folder of `file`, where it looks next:
// in the working directory, and beside the file that the symbolic link `file` leads to.
bool is_elsewhere(const std::string& file, const fs::path& child) {
  const fs::path name = child.is_absolute() ? child.filename() : child;
  std::error_code failure;
  const fs::path linked = fs::weakly_canonical(fs::absolute(file), failure).parent_path();
  return failure || fs::exists(name, failure) || fs::exists(linked / name, failure);
}

// Whether `child`, named in `file`, is an ordinary file below the folder of `file`, also once
// symbolic links are resolved. True for a file that is missing.
bool is_below(const std::string& file, const std::string& child) {
  std::error_code failure;
  const fs::path folder = fs::canonical(fs::absolute(file).parent_path(), failure);
  if (failure) return false;
  const fs::path target = fs::weakly_canonical(folder / child, failure);
  if (failure) return false;
  const auto [end, ignored] =
      std::mismatch(folder.begin(), folder.end(), target.begin(), target.end());
  static_cast<void>(ignored);
  if (end != folder.end()) return false;
  const fs::file_status status = fs::status(target, failure);
  return fs::exists(status) ? fs::is_regular_file(status) : !is_elsewhere(file, child);
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

// The file with the object: not that of the reader if an external link led to it.
std::string file_of(hid_t object) {
  return library_text(
      [&](char* text, std::size_t size) { return H5Fget_name(object, text, size); });
}

void refuse_external_storage(const std::string& file, const std::string& path, hid_t properties) {
  if (H5Pget_external_count(properties) <= 0) return;
  std::string name(4096, '\0');
  H5Pget_external(properties, 0, name.size() - 1, name.data(), nullptr, nullptr);
  name.resize(std::min(name.find('\0'), name.size()));
  throw data_error({file, path, "all data in this file",
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

// Checks a dataset, and all that it is made of.
class StorageCheck {
 public:
  explicit StorageCheck(OtherFiles others) : others_(others) {}

  // Returns how many levels of virtual datasets there are from this one on.
  int check(const std::string& path, hid_t dataset, int level) {
    const Handle properties(H5Dget_create_plist(dataset));
    const std::string file = file_of(dataset);
    refuse_external_storage(file, path, properties.get());
    if (H5Pget_layout(properties.get()) != H5D_VIRTUAL) return 0;
    // A dataset that is being checked counts as many levels: it is made of itself.
    const auto [known, fresh] = levels_.emplace(place_of(file, dataset), kMostLevels);
    if (level + (fresh ? 1 : known->second) > kMostLevels) {
      throw data_error(
          {file, path,
           fmt::format("virtual datasets within each other {} times at most", kMostLevels),
           "more"});
    }
    if (fresh) known->second = 1 + check_sources(file, path, properties.get(), level + 1);
    return known->second;
  }

  // Size of the files with sources, besides that of the dataset.
  std::uintmax_t bytes() const { return bytes_; }

 private:
  using Place = std::pair<std::string, haddr_t>;  // of an object: its file, and where in it

  static Place place_of(const std::string& file, hid_t dataset) {
    H5O_info_t info{};
    if (H5Oget_info2(dataset, &info, H5O_INFO_BASIC) < 0) fail(file, "", "a readable dataset");
    std::error_code failure;
    return {fs::weakly_canonical(file, failure).string(), info.addr};
  }

  int check_sources(const std::string& file, const std::string& path, hid_t properties, int level) {
    const Reader own(file, others_);
    int levels = 0;
    for (const auto& [source_file, name] : sources_of(properties)) {
      const bool pattern = (source_file + name).find('%') != std::string::npos;
      const bool is_own = source_file == kOwnFile;
      if (pattern || (!is_own && (others_ != OtherFiles::kBelow || !is_below(file, source_file)))) {
        throw refusal(file, path, others_,
                      fmt::format("a virtual dataset made of {} in {}", name, source_file));
      }
      levels = std::max(levels, is_own ? check_source(own, name, level)
                                       : check_other(file, source_file, name, level));
    }
    return levels;
  }

  int check_other(const std::string& file, const std::string& source_file, const std::string& name,
                  int level) {
    const std::string target = (fs::path(file).parent_path() / source_file).string();
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(target, failure);
    if (failure) return 0;  // there is no such file: its values are missing
    if (files_.insert(target).second) bytes_ += size;
    return check_source(Reader(target, others_), name, level);
  }

  // Opens the dataset as the library will: a question whether it exists treats "./name" in another
  // way. If this fails, its values are missing.
  int check_source(const Reader& reader, const std::string& name, int level) {
    const Handle source = reader.try_open(name);
    const bool is_dataset = source.ok() && H5Iget_type(source.get()) == H5I_DATASET;
    return is_dataset ? check(name, source.get(), level) : 0;
  }

  OtherFiles others_;
  std::map<Place, int> levels_;  // of the virtual datasets that were met
  std::set<std::string> files_;  // that were counted
  std::uintmax_t bytes_ = 0;
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
  StorageCheck storage(reader.others());
  storage.check(path, dataset, 0);
  return storage.bytes();
}

}  // namespace firm::h5
