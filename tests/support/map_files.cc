#include "support/map_files.h"

#include <span>

#include "io/hdf5/hdf5.h"

namespace firm {

std::vector<float> map_values(std::size_t angle, std::size_t channels, std::size_t first,
                              std::size_t rows, std::size_t columns, bool last) {
  std::vector<float> values(channels * rows * columns);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t k = 0; k < rows * columns; ++k) {
      const double value = first_value(first + c) + static_cast<double>(angle * rows * columns + k);
      values[last ? k * channels + c : c * rows * columns + k] = static_cast<float>(value);
    }
  }
  return values;
}

void write_maps_file(const std::string& path, std::size_t angle, const MapsFile& m) {
  h5::Writer w(path);
  const auto put = [&](const std::string& name, std::size_t channels, std::size_t first) {
    const std::vector<float> values = map_values(angle, channels, first, m.rows, m.columns);
    w.dataset(name, {channels, m.rows, m.columns}, std::span<const float>(values));
  };
  const bool old = m.group.empty();
  put(old ? m.old : m.group + "/Counts_Per_Sec", m.channels.size(), 0);
  w.texts(old ? "/MAPS/channel_names" : m.group + "/Channel_Names", m.channels);
  if (!old) {
    w.texts(m.group + "/Channel_Units", std::vector<std::string>(m.channels.size(), m.units));
  }
  if (!m.scalers.empty()) {
    put(old ? "/MAPS/scalers" : "/MAPS/Scalers/Values", m.scalers.size(), kScaler);
    w.texts(old ? "/MAPS/scaler_names" : "/MAPS/Scalers/Names", m.scalers);
  }
  if (m.theta) {
    const std::vector<double> theta = {*m.theta};
    w.dataset("/MAPS/Scan/theta", {1}, std::span<const double>(theta));
  }
  w.commit();
}

void write_pyxrf_file(const std::string& path, std::size_t angle, const PyxrfFile& m) {
  h5::Writer w(path);
  const std::vector<float> maps = map_values(angle, m.channels.size(), 0, kSlices, kBeamlets);
  w.dataset("/xrfmap/detsum/xrf_fit", {m.channels.size(), kSlices, kBeamlets},
            std::span<const float>(maps));
  w.texts("/xrfmap/detsum/xrf_fit_name", m.channels);
  const std::vector<float> scalers =
      map_values(angle, m.scalers.size(), kScaler, kSlices, kBeamlets, true);
  w.dataset("/xrfmap/scalers/val", {kSlices, kBeamlets, m.scalers.size()},
            std::span<const float>(scalers));
  w.texts("/xrfmap/scalers/name", m.scalers);
  w.group("/xrfmap/scan_metadata");
  if (m.theta) w.attribute("/xrfmap/scan_metadata", "param_theta", *m.theta);
  if (!m.units.empty()) w.attribute("/xrfmap/scan_metadata", "param_theta_units", m.units);
  w.commit();
}

}  // namespace firm
