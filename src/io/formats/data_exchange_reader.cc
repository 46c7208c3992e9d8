#include <fmt/format.h>

#include "firm/error.h"
#include "io/formats/data_exchange.h"
#include "io/formats/data_exchange_paths.h"
#include "io/formats/formats.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

namespace dx = data_exchange;

// Position of the frames among the axes. x must be last, which keeps a row of beamlets contiguous.
std::size_t frame_axis_of(const std::string& file, const std::string& path,
                          const std::string& axes) {
  if (axes.starts_with("theta") && axes.ends_with(":y:x")) return 0;
  if (axes.starts_with("y:theta") && axes.ends_with(":x")) return 1;
  throw data_error({file, path + "@axes", "theta:y:x or y:theta:x", axes});
}

std::unique_ptr<Frames> open_stack(const h5::Reader& reader, const std::string& path) {
  h5::Dataset dataset = numbers(reader, path, 3, "three dimensions (theta, y, x)");
  const std::string names = reader.text_attribute(path, "axes").value_or(dx::kDefaultAxes);
  FrameAxes axes;
  axes.frame = frame_axis_of(reader.file(), path, names);
  axes.slice = 1 - axes.frame;
  Frames::Facts facts = facts_of(dataset, axes, dataset.shape()[axes.frame]);
  facts.axes = names;
  facts.units = units_of(reader, path, "counts");
  return std::make_unique<HdfFrames>(std::move(dataset), axes, std::vector<std::size_t>{}, facts);
}

std::unique_ptr<Frames> open_field(const h5::Reader& reader, const std::string& path,
                                   const Frames& data) {
  // Detectors that take no such frames write an empty dataset.
  if (!reader.has(path) || h5::element_count(reader.dataset(path).shape()) == 0) return {};
  std::unique_ptr<Frames> field = open_stack(reader, path);
  if (field->slices() != data.slices() || field->beamlets() != data.beamlets()) {
    throw data_error({reader.file(), path,
                      fmt::format("frames of {} x {} (y, x) as in {}", data.slices(),
                                  data.beamlets(), dx::kData),
                      fmt::format("{} x {}", field->slices(), field->beamlets())});
  }
  return field;
}

std::vector<double> theta_from_rotation(const h5::Reader& reader, std::size_t frames,
                                        const ScanRequest& request) {
  const auto degrees = [&](const char* path) {
    return reader.number(path) * degrees_of_unit(reader, path, request);
  };
  const double start = degrees(dx::kRotationStart);
  const double step = degrees(dx::kRotationStep);
  const double count = reader.number(dx::kAngleCount);
  if (count != static_cast<double>(frames)) {
    throw data_error({reader.file(), dx::kAngleCount,
                      fmt::format("{} angles, one per frame of {}", frames, dx::kData),
                      fmt::format("{}", count)});
  }
  std::vector<double> theta;
  for (std::size_t k = 0; k < frames; ++k) theta.push_back(start + static_cast<double>(k) * step);
  return theta;
}

void read_theta(const h5::Reader& reader, const ScanRequest& request, Scan& scan) {
  if (reader.has(dx::kTheta)) {
    scan.theta = angles_in_degrees(reader, dx::kTheta, request);
    scan.theta_source = dx::kTheta;
  } else if (reader.has(dx::kRotationStart)) {
    scan.theta = theta_from_rotation(reader, scan.data->frames(), request);
    scan.theta_source = dx::kRotation;
  } else {
    throw data_error({reader.file(), dx::kTheta,
                      fmt::format("{} angles in degrees, or a start, a step and a number in {} "
                                  "(or a file: angles = \"...\" in the study, --angles)",
                                  scan.data->frames(), dx::kRotation),
                      "neither"});
  }
}

// Files often give no unit, or a wrong one; the spacing is unknown then.
void read_spacing(const h5::Reader& reader, Scan& scan) {
  scan.spacing_source = dx::kSpacing;
  if (!reader.has(dx::kSpacing)) return;
  const std::string name = units_of(reader, dx::kSpacing, "");
  if (const auto unit = length_unit(name)) {
    scan.spacing = reader.number(dx::kSpacing) * *unit;
    return;
  }
  scan.spacing_warning = fmt::format(
      "{} is not used, because {}; the spacing is that of the study, else its pixel size",
      dx::kSpacing,
      name.empty()
          ? "it has no unit"
          : fmt::format("its unit \"{}\" is none of {}", name, unit_names(Dimension::kLength)));
}

void read_metadata(const h5::Reader& reader, Scan& scan) {
  if (reader.has(dx::kTitle)) scan.title = reader.text(dx::kTitle);
  scan.rotation_axis_source = dx::kRotationAxis;
  if (reader.has(dx::kRotationAxis)) scan.rotation_axis = reader.number(dx::kRotationAxis);
  read_spacing(reader, scan);
}

}  // namespace

std::optional<Scan> data_exchange_scan(const h5::Reader& reader, const ScanRequest& request) {
  if (!reader.has(dx::kData)) return {};
  Scan scan;
  scan.format = "Data Exchange (HDF5)";
  scan.data = open_stack(reader, dx::kData);
  scan.white_place = dx::kWhite;
  scan.white = open_field(reader, dx::kWhite, *scan.data);
  scan.dark = open_field(reader, dx::kDark, *scan.data);
  if (request.angles.empty()) read_theta(reader, request, scan);
  read_metadata(reader, scan);
  return scan;
}

Acquisition read_acquisition(const std::string& path) {
  const Scan scan = open_scan(path);
  Acquisition a;
  a.title = scan.title;
  a.units = scan.data->facts().units;
  a.theta = scan.theta;
  a.beamlets = static_cast<int>(scan.data->beamlets());
  a.spacing = scan.spacing.value_or(0);
  a.rotation_axis = scan.rotation_axis.value_or(a.beamlets / 2.0);
  a.data = read_block(*scan.data);
  if (scan.white) a.white = read_block(*scan.white);
  if (scan.dark) a.dark = read_block(*scan.dark);
  return a;
}

}  // namespace firm
