#include <fmt/format.h>

#include "firm/error.h"
#include "firm/scan.h"
#include "io/formats/scan.h"

namespace firm {

struct ScanFile::Open {
  Scan scan;
};

ScanFile::ScanFile(const std::string& path, const ScanChoice& choice) {
  ScanRequest request;
  request.element = choice.element;
  request.first = choice.element.empty();
  request.angles = choice.angles;
  request.axes = choice.axes;
  request.angle_unit = choice.angle_unit;
  if (!choice.angle_unit.empty() && choice.angle_unit != "deg" && choice.angle_unit != "rad") {
    throw usage_error(
        {path, "angle_unit", "\"deg\" or \"rad\"", fmt::format("\"{}\"", choice.angle_unit)});
  }
  open_ = std::make_unique<Open>(Open{open_scan(path, request)});
}

ScanFile::~ScanFile() = default;
ScanFile::ScanFile(ScanFile&&) noexcept = default;
ScanFile& ScanFile::operator=(ScanFile&&) noexcept = default;

const std::string& ScanFile::format() const { return open_->scan.format; }
const std::vector<std::string>& ScanFile::elements() const { return open_->scan.elements; }
const std::string& ScanFile::element() const { return open_->scan.element; }
const std::string& ScanFile::units() const { return open_->scan.data->facts().units; }
const std::vector<double>& ScanFile::angles() const { return open_->scan.theta; }
std::size_t ScanFile::slices() const { return open_->scan.data->slices(); }
std::size_t ScanFile::beamlets() const { return open_->scan.data->beamlets(); }
std::optional<double> ScanFile::spacing() const { return open_->scan.spacing; }
std::optional<double> ScanFile::rotation_axis() const { return open_->scan.rotation_axis; }

Block ScanFile::values(std::size_t first_slice, std::size_t slices) const {
  const Frames& frames = *open_->scan.data;
  if (slices == 0 || first_slice + slices > frames.slices()) {
    throw usage_error({open_->scan.file, "slices",
                       fmt::format("some of 0 to {}", frames.slices() - 1),
                       fmt::format("{} from {} on", slices, first_slice)});
  }
  return read_block(frames, first_slice, slices);
}

namespace {

Block read_if_any(const std::unique_ptr<Frames>& frames) {
  return frames ? read_block(*frames) : Block();
}

}  // namespace

Block ScanFile::flat() const { return read_if_any(open_->scan.white); }
Block ScanFile::dark() const { return read_if_any(open_->scan.dark); }

}  // namespace firm
