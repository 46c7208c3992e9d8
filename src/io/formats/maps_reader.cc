// XRF-Maps and its predecessor MAPS: a folder of files, one per angle.
//
//   /MAPS/XRF_Analyzed/Fitted/Counts_Per_Sec   (channel, y, x); if missing, NNLS or ROI
//   /MAPS/XRF_Analyzed/Fitted/Channel_Names    with Channel_Units
//   /MAPS/Scalers/{Names,Values,Units}         (scaler, y, x); US_IC is I0, DS_IC the transmission
//   /MAPS/Scan/theta                           degrees
//
// Older files have no angle:
//
//   /MAPS/XRF_fits                             (channel, y, x); if missing, XRF_roi_plus or XRF_roi
//   /MAPS/channel_names
//   /MAPS/scalers, /MAPS/scaler_names
#include <fmt/format.h>

#include "io/formats/map_folder.h"

namespace firm {
namespace {

constexpr const char* kTheta = "/MAPS/Scan/theta";

std::optional<ChannelStack> analyzed_maps(const h5::Reader& reader) {
  for (const char* kind : {"Fitted", "NNLS", "ROI"}) {
    const std::string group = fmt::format("/MAPS/XRF_Analyzed/{}", kind);
    ChannelStack stack{group + "/Counts_Per_Sec", group + "/Channel_Names",
                       group + "/Channel_Units"};
    if (reader.has(stack.data)) return stack;
  }
  for (const char* kind : {"XRF_fits", "XRF_roi_plus", "XRF_roi"}) {
    ChannelStack stack{fmt::format("/MAPS/{}", kind), "/MAPS/channel_names"};
    if (reader.has(stack.data)) return stack;
  }
  return {};
}

std::optional<ChannelStack> scalers_of(const h5::Reader& reader) {
  const ChannelStack stacks[] = {
      {"/MAPS/Scalers/Values", "/MAPS/Scalers/Names", "/MAPS/Scalers/Units"},
      {"/MAPS/scalers", "/MAPS/scaler_names"}};
  for (const ChannelStack& stack : stacks) {
    if (reader.has(stack.data) && reader.has(stack.names)) return stack;
  }
  return {};
}

}  // namespace

std::optional<MapLayout> maps_layout(const h5::Reader& reader) {
  const std::optional<ChannelStack> maps = analyzed_maps(reader);
  if (!maps) return {};
  const auto read_angle = [](const h5::Reader& file, std::optional<double> unit) {
    return file.has(kTheta) ? std::optional(file.number(kTheta) * unit.value_or(1)) : std::nullopt;
  };
  return MapLayout{"XRF-Maps", *maps, scalers_of(reader), {"US_IC", "us_ic"}, kTheta, read_angle};
}

}  // namespace firm
