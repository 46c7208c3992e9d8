#include "io/formats/map_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>

#include "core/closest_name.h"
#include "firm/error.h"
#include "io/formats/formats.h"
#include "io/formats/page_frames.h"
#include "physics/attenuation.h"

namespace firm {
namespace {

// Properties that must be equal in all files.
struct StackFacts {
  std::vector<std::string> names;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::string type;
};

h5::Dataset maps_of(const h5::Reader& reader, const ChannelStack& stack) {
  return numbers(reader, stack.data, 3,
                 fmt::format("three dimensions {}",
                             stack.channel_last ? "(y, x, channel)" : "(channel, y, x)"));
}

StackFacts facts_of(const h5::Reader& reader, const ChannelStack& stack) {
  const h5::Dataset data = maps_of(reader, stack);
  const h5::Shape& shape = data.shape();
  const std::size_t channels = shape[stack.channel_last ? 2 : 0];
  const std::size_t y = stack.channel_last ? 0 : 1;
  StackFacts facts{reader.texts(stack.names), shape[y], shape[y + 1], data.type_name()};
  if (facts.names.size() == channels) return facts;
  throw data_error({reader.file(), stack.names,
                    fmt::format("{} names, as in {}", channels, stack.data),
                    fmt::format("{}", facts.names.size())});
}

std::string list(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_same(const h5::Reader& reader, const ChannelStack& stack, const StackFacts& first,
                const std::string& first_name) {
  const StackFacts here = facts_of(reader, stack);
  if (here.names != first.names) {
    throw data_error({reader.file(), stack.names,
                      fmt::format("the channels of {}: {}", first_name, list(first.names)),
                      list(here.names)});
  }
  if (here.rows != first.rows || here.columns != first.columns) {
    throw data_error(
        {reader.file(), stack.data,
         fmt::format("maps of {} x {} (y, x) as in {}", first.rows, first.columns, first_name),
         fmt::format("{} x {}", here.rows, here.columns)});
  }
}

// One channel of all files. Opens a file for each read: there may be too many to keep open.
class ChannelPages : public PageSource {
 public:
  ChannelPages(std::vector<std::string> files, ChannelStack stack, StackFacts facts,
               std::size_t channel)
      : files_(std::move(files)),
        stack_(std::move(stack)),
        facts_(std::move(facts)),
        channel_(channel) {}

  void read_rows(std::size_t page, std::size_t first, std::size_t count,
                 float* out) const override {
    const h5::Reader reader(files_.at(page));
    const h5::Dataset data = maps_of(reader, stack_);
    h5::Shape expected = {facts_.names.size(), facts_.rows, facts_.columns};
    h5::Slab slab{{channel_, first, 0}, {1, count, facts_.columns}};
    if (stack_.channel_last) {
      for (h5::Shape* s : {&expected, &slab.start, &slab.count}) {
        std::rotate(s->begin(), s->begin() + 1, s->end());
      }
    }
    if (data.shape() != expected) {
      throw data_error({reader.file(), stack_.data, "the shape " + h5::to_string(expected),
                        h5::to_string(data.shape())});
    }
    data.read(slab, std::span<float>(out, count * facts_.columns));
  }

 private:
  std::vector<std::string> files_;
  ChannelStack stack_;
  StackFacts facts_;
  std::size_t channel_;
};

std::string units_of_channel(const h5::Reader& reader, const ChannelStack& stack,
                             std::size_t channel, std::size_t channels) {
  if (stack.units.empty() || !reader.has(stack.units)) return "counts";
  const std::vector<std::string> units = reader.texts(stack.units);
  return units.size() == channels && !units[channel].empty() ? units[channel] : "counts";
}

std::unique_ptr<Frames> frames_of(const std::vector<std::string>& files, const h5::Reader& first,
                                  const ChannelStack& stack, const StackFacts& maps,
                                  const std::string& name) {
  const auto at = std::find(maps.names.begin(), maps.names.end(), name);
  const auto channel = static_cast<std::size_t>(at - maps.names.begin());
  const std::array size = {files.size(), maps.rows, maps.columns};
  Frames::Facts facts;
  facts.path = fmt::format("{}[{}]", stack.data, name);
  facts.shape = {size.begin(), size.end()};
  facts.type = maps.type;
  facts.units = units_of_channel(first, stack, channel, maps.names.size());
  return std::make_unique<PageFrames>(std::make_unique<ChannelPages>(files, stack, maps, channel),
                                      PageAxes{}, size, maps.rows, std::move(facts));
}

// "a.h5" for "a.h50", "a.h51", ...; empty for other names.
std::string sum_of_detectors(const std::string& file) {
  constexpr std::string_view kEnding = ".h5";
  const std::size_t mark = file.rfind(kEnding);
  if (mark == std::string::npos || mark + kEnding.size() == file.size()) return "";
  const std::size_t digits = mark + kEnding.size();
  if (file.find_first_not_of("0123456789", digits) != std::string::npos) return "";
  return file.substr(0, digits);
}

// Beside a.h5, with the sum of all detectors, XRF-Maps writes a.h50, a.h51, ... with one detector
// each. These are not angles.
std::vector<std::string> files_of_angles(const Folder& folder) {
  std::vector<std::string> files;
  std::map<std::string, std::string> detectors;  // a file of one detector, by the name of the sum
  for (const std::string& file : folder.files) {
    const std::string sum = sum_of_detectors(file);
    const bool summed =
        std::find(folder.files.begin(), folder.files.end(), sum) != folder.files.end();
    if (summed) continue;
    if (!sum.empty() && !detectors.emplace(sum, file).second) {
      throw data_error({folder.path, "", "one file for each angle, as those that end in .h5 are",
                        fmt::format("{} and {}, of one detector each", name_of_file(detectors[sum]),
                                    name_of_file(file))});
    }
    files.push_back(file);
  }
  return files;
}

// The angles of all files; empty when the first has none.
std::vector<double> angles_of(const std::vector<std::string>& files, const MapLayout& layout,
                              std::optional<double> unit) {
  std::vector<double> angles;
  for (const std::string& file : files) {
    const std::optional<double> angle = layout.read_angle(h5::Reader(file), unit);
    if (!angle && angles.empty()) return {};
    if (!angle) throw data_error({file, layout.angle, "an angle", "none"});
    angles.push_back(*angle);
  }
  // The programs write a constant when they do not know the angle.
  const bool constant =
      std::adjacent_find(angles.begin(), angles.end(), std::not_equal_to<>()) == angles.end();
  if (files.size() > 1 && constant) {
    throw data_error({files.front(), layout.angle,
                      "another angle in every file, or a file of angles (angles = \"...\" in the "
                      "study, --angles)",
                      fmt::format("{} in all of them", angles.front())});
  }
  return angles;
}

// The requested channel, an element or a scaler.
std::string chosen_channel(const Scan& scan, const std::string& file, const std::string& path,
                           const ScanRequest& request) {
  const auto& elements = scan.elements;
  if (request.element.empty() && !elements.empty() && (request.first || elements.size() == 1)) {
    return elements.front();
  }
  std::vector<std::string> all = scan.elements;
  all.insert(all.end(), scan.scalers.begin(), scan.scalers.end());
  if (std::find(all.begin(), all.end(), request.element) != all.end()) return request.element;
  throw data_error({file, path,
                    request.element.empty()
                        ? "an element to be chosen (element = \"...\" in the study, --element)"
                        : fmt::format("the element {}", request.element),
                    fmt::format("the elements {}; the scalers {}{}",
                                elements.empty() ? "(none)" : list(elements),
                                scan.scalers.empty() ? "(none)" : list(scan.scalers),
                                did_you_mean(request.element, all))});
}

// False for scattering, pile-up, and numbers about the fit.
bool is_element(const std::string& channel) { return element_of_channel(channel).has_value(); }

std::string monitor_among(const std::vector<std::string>& scalers, const MapLayout& layout) {
  for (const std::string& name : layout.monitors) {
    if (std::find(scalers.begin(), scalers.end(), name) != scalers.end()) return name;
  }
  return "";
}

// Properties of the first file, which the others must share.
struct FirstFile {
  StackFacts maps;
  std::optional<StackFacts> scalers;
};

FirstFile read_first(const h5::Reader& reader, const MapLayout& layout) {
  FirstFile first{facts_of(reader, layout.maps), {}};
  if (!layout.scalers) return first;
  first.scalers = facts_of(reader, *layout.scalers);
  if (first.scalers->rows == first.maps.rows && first.scalers->columns == first.maps.columns) {
    return first;
  }
  throw data_error({reader.file(), layout.scalers->data,
                    fmt::format("maps of {} x {} (y, x) as in {}", first.maps.rows,
                                first.maps.columns, layout.maps.data),
                    fmt::format("{} x {}", first.scalers->rows, first.scalers->columns)});
}

}  // namespace

Scan map_folder_scan(const Folder& folder, const MapLayout& layout, const ScanRequest& request) {
  Scan scan;
  scan.format = layout.format + ", a folder of files (HDF5)";
  scan.files = files_of_angles(folder);
  const h5::Reader reader(scan.files.front());
  const FirstFile first = read_first(reader, layout);
  std::copy_if(first.maps.names.begin(), first.maps.names.end(), std::back_inserter(scan.elements),
               is_element);
  if (first.scalers) scan.scalers = first.scalers->names;
  scan.element = chosen_channel(scan, reader.file(), layout.maps.names, request);

  for (const std::string& file : scan.files) {
    const h5::Reader other(file);
    check_same(other, layout.maps, first.maps, name_of_file(scan.files.front()));
    if (!first.scalers) continue;
    check_same(other, *layout.scalers, *first.scalers, name_of_file(scan.files.front()));
  }

  const bool fitted =
      std::find(scan.elements.begin(), scan.elements.end(), scan.element) != scan.elements.end();
  scan.data = fitted ? frames_of(scan.files, reader, layout.maps, first.maps, scan.element)
                     : frames_of(scan.files, reader, *layout.scalers, *first.scalers, scan.element);
  const std::string monitor = monitor_among(scan.scalers, layout);
  if (!monitor.empty() && monitor != scan.element) {
    scan.monitor = frames_of(scan.files, reader, *layout.scalers, *first.scalers, monitor);
  }
  if (request.angles.empty()) {
    scan.theta = angles_of(scan.files, layout, requested_angle_unit(request));
    scan.theta_source = layout.angle;
  }
  return scan;
}

}  // namespace firm
