#include "io/formats/unknown_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace firm {
namespace {

constexpr std::size_t kListed = 8;

struct Signature {
  const char* path;
  const char* format;
};

constexpr std::array<Signature, 4> kSignatures = {
    {{"/MAPS", "an XRF-Maps file"},
     {"/xrfmap", "a PyXRF file"},
     {"/elements", "an XRFtomo file"},
     {"/exchange", "an incomplete Data Exchange file"}}};

// Empty when the format is unknown.
std::string guess_format(const h5::Reader& reader) {
  for (const Signature& s : kSignatures) {
    if (reader.has(s.path)) return s.format;
  }
  for (const char* entry : {"/entry", "/entry1"}) {
    if (reader.has(entry) && reader.text_attribute(entry, "NX_class")) return "a NeXus file";
  }
  return "";
}

// Largest first: measurements are larger than their descriptions.
std::vector<h5::Dataset> largest_datasets(const h5::Reader& reader,
                                          const std::vector<std::string>& paths) {
  std::vector<h5::Dataset> found;
  for (const std::string& path : paths) {
    h5::Dataset dataset = reader.dataset(path);
    if (!dataset.shape().empty()) found.push_back(std::move(dataset));
  }
  std::stable_sort(found.begin(), found.end(), [](const h5::Dataset& a, const h5::Dataset& b) {
    return h5::element_count(a.shape()) > h5::element_count(b.shape());
  });
  if (found.size() > kListed) found.erase(found.begin() + kListed, found.end());
  return found;
}

}  // namespace

std::string describe_unknown_format(const h5::Reader& reader) {
  const std::string format = guess_format(reader);
  const std::vector<std::string> paths = reader.dataset_paths();
  std::string text = "no such dataset";
  if (!format.empty()) text += "; this looks like " + format;
  if (paths.empty()) return text + "; it has no datasets";
  text += fmt::format("; it has {} dataset{}, the largest:", paths.size(),
                      paths.size() == 1 ? "" : "s");
  for (const h5::Dataset& d : largest_datasets(reader, paths)) {
    text += fmt::format("\n  {} {} {}", d.path(), h5::to_string(d.shape()), d.type_name());
  }
  return text;
}

}  // namespace firm
