// PyXRF (NSLS-II): a folder of files, one per angle.
//
//   /xrfmap/detsum/xrf_fit          (element, y, x)
//   /xrfmap/detsum/xrf_fit_name     "Fe_K", and "compton", "elastic", ...
//   /xrfmap/scalers/{name,val}      (y, x, scaler); I0 is "i0", "I0", "sclr_i0", or "sclr1_ch4"
//   /xrfmap/scan_metadata           (HXN) attributes param_theta, param_theta_units: mdeg or deg
#include <fmt/format.h>

#include "firm/error.h"
#include "io/formats/map_folder.h"

namespace firm {
namespace {

constexpr const char* kMaps = "/xrfmap/detsum/xrf_fit";
constexpr const char* kScalers = "/xrfmap/scalers/val";
constexpr const char* kMetadata = "/xrfmap/scan_metadata";

std::optional<double> angle_of(const h5::Reader& reader, std::optional<double> unit) {
  if (!reader.has(kMetadata)) return {};
  const std::optional<double> angle = reader.number_attribute(kMetadata, "param_theta");
  if (!angle) return {};
  if (unit) return *angle * *unit;
  const std::string units =
      reader.text_attribute(kMetadata, "param_theta_units").value_or("no units");
  if (units == "mdeg") return *angle / 1000;
  if (units == "deg") return *angle;
  throw data_error(
      {reader.file(), fmt::format("{}@param_theta_units", kMetadata), "mdeg or deg", units});
}

}  // namespace

std::optional<MapLayout> pyxrf_layout(const h5::Reader& reader) {
  if (!reader.has(kMaps)) return {};
  MapLayout layout;
  layout.format = "PyXRF";
  layout.maps = {kMaps, "/xrfmap/detsum/xrf_fit_name"};
  if (reader.has(kScalers)) layout.scalers = {kScalers, "/xrfmap/scalers/name", "", true};
  layout.monitors = {"i0", "I0", "sclr_i0", "sclr1_ch4"};
  layout.angle = fmt::format("{}@param_theta", kMetadata);
  layout.read_angle = angle_of;
  return layout;
}

}  // namespace firm
