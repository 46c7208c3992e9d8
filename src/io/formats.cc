#include "io/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>

#include "firm/error.h"
#include "io/foreign.h"

namespace firm {
namespace {

using Format = std::optional<Scan> (*)(const h5::Reader&, const ScanRequest&);

constexpr Format kFormats[] = {data_exchange_scan, xrftomo_scan, nxtomo_scan, nexus_grid_scan};

}  // namespace

Scan open_scan(const std::string& file, const ScanRequest& request) {
  const h5::Reader reader(file);
  for (const Format format : kFormats) {
    std::optional<Scan> scan = format(reader, request);
    if (!scan) continue;
    scan->file = file;
    check_angles(*scan);
    return std::move(*scan);
  }
  throw data_error(
      {file, "/exchange/data",
       "a file of Data Exchange, XRFtomo or NeXus (NXtomo), for example with a dataset "
       "(theta, y, x) of this name",
       describe_foreign(reader)});
}

h5::Dataset numbers(const h5::Reader& reader, const std::string& path, std::size_t dimensions,
                    const std::string& expected) {
  h5::Dataset dataset = reader.dataset(path);
  const h5::Shape& shape = dataset.shape();
  if (shape.size() != dimensions) {
    throw data_error({reader.file(), path, expected, "the shape " + h5::to_string(shape)});
  }
  if (h5::element_count(shape) == 0) {
    throw data_error(
        {reader.file(), path, "at least one value", "the shape " + h5::to_string(shape)});
  }
  if (!dataset.numeric()) throw data_error({reader.file(), path, "numbers", dataset.type_name()});
  return dataset;
}

std::vector<double> angles_in_degrees(const h5::Reader& reader, const std::string& path) {
  const std::string units = units_of(reader, path, "degrees");
  double scale = 0;
  for (const char* known : {"deg", "degree", "degrees", "\u00b0"}) {
    if (units == known) scale = 1;
  }
  for (const char* known : {"rad", "radian", "radians"}) {
    if (units == known) scale = 180 / std::numbers::pi;
  }
  if (scale == 0) throw data_error({reader.file(), path + "@units", "degrees or radians", units});
  std::vector<double> angles = reader.dataset(path).read_all<double>();
  for (double& angle : angles) angle *= scale;
  return angles;
}

void check_angles(const Scan& scan) {
  const std::size_t frames = scan.data->frames();
  if (scan.theta.size() == frames) return;
  throw data_error({scan.file, scan.theta_source,
                    fmt::format("{} angles, one per frame of {}", frames, scan.data->facts().path),
                    fmt::format("{}", scan.theta.size())});
}

std::string units_of(const h5::Reader& reader, const std::string& path,
                     const std::string& otherwise) {
  return reader.text_attribute(path, "units").value_or(otherwise);
}

std::size_t find_element(const std::string& file, const std::string& path,
                         const std::vector<std::string>& names, const ScanRequest& request) {
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  if (request.element.empty() && (names.size() == 1 || request.first)) return 0;
  if (request.element.empty()) {
    throw data_error({file, path,
                      "an element to be chosen (element = \"...\" in the study, "
                      "--element)",
                      "several: " + list});
  }
  const auto at = std::find(names.begin(), names.end(), request.element);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  throw data_error({file, path, fmt::format("the element {}", request.element), list});
}

}  // namespace firm
