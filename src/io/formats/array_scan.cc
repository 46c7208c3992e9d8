#include "io/formats/array_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firm/error.h"
#include "io/formats/data_exchange.h"

namespace firm {
namespace {

class ArrayFrames : public Frames {
 public:
  ArrayFrames(const ArrayView& view, Facts facts) : Frames(std::move(facts)), view_(view) {}

  std::vector<float> read(const FrameBox& box) const override {
    std::vector<float> values(box.frames * box.slices * beamlets());
    float* out = values.data();
    for (std::size_t k = 0; k < box.frames; ++k) {
      for (std::size_t y = 0; y < box.slices; ++y) out = copy_row(box, k, y, out);
    }
    return values;
  }

 private:
  float* copy_row(const FrameBox& box, std::size_t k, std::size_t y, float* out) const {
    const float* row = view_.values +
                       static_cast<std::ptrdiff_t>(box.first_frame + k) * view_.frame_stride +
                       static_cast<std::ptrdiff_t>(box.first_slice + y) * view_.slice_stride;
    if (view_.beamlet_stride == 1) return std::copy_n(row, beamlets(), out);
    for (std::size_t x = 0; x < beamlets(); ++x, row += view_.beamlet_stride) *out++ = *row;
    return out;
  }

  ArrayView view_;
};

std::unique_ptr<Frames> frames_of(const char* what, const ArrayView& view,
                                  const std::string& units) {
  if (view.empty()) return nullptr;
  Frames::Facts facts;
  facts.path = what;
  facts.shape = {view.frames, view.slices, view.beamlets};
  facts.type = "float32";
  facts.axes = "theta:y:x";
  facts.units = units;
  facts.frames = view.frames;
  facts.slices = view.slices;
  facts.beamlets = view.beamlets;
  return std::make_unique<ArrayFrames>(view, std::move(facts));
}

void check_field(const std::string& name, const char* what, const SiteArrays& a,
                 const ArrayView& field) {
  if (field.empty()) return;
  if (field.slices == a.data.slices && field.beamlets == a.data.beamlets) return;
  throw data_error({name, what, fmt::format("frames of {} x {}", a.data.slices, a.data.beamlets),
                    fmt::format("{} x {}", field.slices, field.beamlets)});
}

}  // namespace

Scan array_scan(const std::string& name, const SiteArrays& a) {
  if (a.data.empty() || a.data.slices == 0 || a.data.beamlets == 0) {
    throw data_error({name, "array", "(angles, slices, beamlets), none of them 0",
                      fmt::format("({}, {}, {})", a.data.frames, a.data.slices, a.data.beamlets)});
  }
  if (a.theta.size() != a.data.frames) {
    throw data_error({name, "theta", fmt::format("{} angles, one per projection", a.data.frames),
                      fmt::format("{}", a.theta.size())});
  }
  check_field(name, "white", a, a.white);
  check_field(name, "dark", a, a.dark);
  Scan scan;
  scan.file = name;
  scan.format = "array";
  scan.title = name;
  scan.data = frames_of("array", a.data, a.units);
  scan.white = frames_of("white", a.white, a.units);
  scan.dark = frames_of("dark", a.dark, a.units);
  scan.white_place = "white";
  scan.frames_in_file = a.data.frames;
  scan.theta = a.theta;
  scan.theta_source = "theta";
  return scan;
}

void write_arrays(const std::string& path, const std::string& name, const SiteArrays& arrays) {
  const Scan scan = array_scan(name, arrays);
  Acquisition acquisition;
  acquisition.title = name;
  acquisition.units = arrays.units;
  acquisition.note = "from arrays";
  acquisition.theta = arrays.theta;
  acquisition.beamlets = static_cast<int>(arrays.data.beamlets);
  acquisition.rotation_axis = static_cast<double>(arrays.data.beamlets) / 2;
  acquisition.data = read_block(*scan.data);
  if (scan.white) acquisition.white = read_block(*scan.white);
  if (scan.dark) acquisition.dark = read_block(*scan.dark);
  write_acquisition(path, acquisition);
}

}  // namespace firm
