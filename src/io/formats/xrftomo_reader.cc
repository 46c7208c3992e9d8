// XRFtomo: maps of several elements in one file.
//
//   /data       (element, theta, y, x)
//   /elements   names such as "Fe"; in older files /names
//   /thetas     degrees
#include <fmt/format.h>

#include "firm/error.h"
#include "io/formats/formats.h"

namespace firm {
namespace {

constexpr const char* kData = "/data";
constexpr const char* kThetas = "/thetas";

}  // namespace

std::optional<Scan> xrftomo_scan(const h5::Reader& reader, const ScanRequest& request) {
  const char* names = reader.has("/elements") ? "/elements" : "/names";
  if (!reader.has(kData) || !reader.has(names)) return {};
  if (!reader.has(kThetas) && request.angles.empty()) return {};
  Scan scan;
  scan.format = "XRFtomo (HDF5)";
  scan.elements = reader.texts(names);
  h5::Dataset data = numbers(reader, kData, 4, "four dimensions (element, theta, y, x)");
  if (scan.elements.size() != data.shape()[0]) {
    throw data_error({reader.file(), names,
                      fmt::format("{} names, as in {}", data.shape()[0], kData),
                      fmt::format("{}", scan.elements.size())});
  }
  const std::size_t element = find_element(reader.file(), names, scan.elements, request);
  scan.element = scan.elements[element];
  const FrameAxes axes{1, 2, 3, {element, 0, 0, 0}};
  Frames::Facts facts = facts_of(data, axes, data.shape()[1]);
  facts.axes = "element:theta:y:x";
  facts.units = units_of(reader, kData, "counts");
  scan.data = std::make_unique<HdfFrames>(std::move(data), axes, std::vector<std::size_t>{}, facts);
  if (!request.angles.empty()) return scan;
  scan.theta = angles_in_degrees(reader, kThetas, request);
  scan.theta_source = kThetas;
  return scan;
}

}  // namespace firm
