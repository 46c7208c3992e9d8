#include "io/formats/page_frames.h"

#include <algorithm>
#include <span>

#include "firm/error.h"

namespace firm {
namespace {

constexpr std::array<const char*, 3> kAxisNames = {"theta", "y", "x"};

// The axes in a text, in its order; empty when one is unknown.
std::vector<PageAxes::Axis> named_axes(const std::string& text) {
  std::vector<PageAxes::Axis> axes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const auto at =
        std::find(kAxisNames.begin(), kAxisNames.end(), text.substr(begin, end - begin));
    if (at == kAxisNames.end()) return {};
    axes.push_back(static_cast<PageAxes::Axis>(at - kAxisNames.begin()));
    begin = end + 1;
  }
  return axes;
}

Frames::Facts completed(Frames::Facts facts, const PageAxes& axes,
                        const std::array<std::size_t, 3>& size, std::size_t rows_together) {
  facts.axes = axes.text;
  facts.frames = size[axes.position(PageAxes::kTheta)];
  facts.slices = size[axes.position(PageAxes::kY)];
  facts.beamlets = size[axes.position(PageAxes::kX)];
  // If the rows of a page are frames, those of one strip are read together.
  facts.chunk = axes.position(PageAxes::kTheta) == 1 ? std::max<std::size_t>(1, rows_together) : 1;
  // If the columns of a page are slices, each row that is read has all of them.
  if (axes.position(PageAxes::kY) == 2) facts.slice_chunk = facts.slices;
  return facts;
}

}  // namespace

std::size_t PageAxes::position(Axis axis) const {
  return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
}

PageAxes PageAxes::reversed() const { return {{axes[2], axes[1], axes[0]}, text}; }

PageAxes page_axes(const std::string& file, const std::string& text, std::size_t dimensions) {
  FIRM_CHECK(dimensions == 2 || dimensions == 3);
  const bool flat = dimensions == 2;
  PageAxes axes;
  axes.text = !text.empty() ? text : flat ? "theta:x" : "theta:y:x";
  std::vector<PageAxes::Axis> named = named_axes(axes.text);
  if (flat) named.insert(named.begin(), PageAxes::kY);
  std::vector<PageAxes::Axis> sorted = named;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != std::vector{PageAxes::kTheta, PageAxes::kY, PageAxes::kX}) {
    throw data_error(
        {file, "axes",
         flat ? "theta:x or x:theta (axes = \"...\" in the study, --axes), for two dimensions"
              : "an order of theta, y and x, as in y:theta:x (axes = \"...\" in the study, --axes)",
         text});
  }
  std::copy(named.begin(), named.end(), axes.axes.begin());
  return axes;
}

PageFrames::PageFrames(std::unique_ptr<PageSource> source, const PageAxes& axes,
                       const std::array<std::size_t, 3>& size, std::size_t rows_together,
                       Facts facts)
    : Frames(completed(std::move(facts), axes, size, rows_together)),
      source_(std::move(source)),
      axes_(axes),
      columns_(size[2]) {}

std::vector<float> PageFrames::read(const FrameBox& box) const {
  struct Range {
    std::size_t first;
    std::size_t count;
    std::size_t step;  // between neighbours in the result
  };
  const std::array<Range, 3> by_axis = {{{box.first_frame, box.frames, box.slices * beamlets()},
                                         {box.first_slice, box.slices, beamlets()},
                                         {0, beamlets(), 1}}};
  const Range& pages = by_axis[axes_.axes[0]];
  const Range& rows = by_axis[axes_.axes[1]];
  const Range& columns = by_axis[axes_.axes[2]];
  std::vector<float> values(box.frames * box.slices * beamlets());
  // Reads in place if the page has the order of the result.
  const bool direct = columns.step == 1 && columns.count == columns_ && rows.step == columns_;
  std::vector<float> page(direct ? 0 : rows.count * columns_);
  for (std::size_t p = 0; p < pages.count; ++p) {
    float* out = values.data() + p * pages.step;
    source_->read_rows(pages.first + p, rows.first, rows.count, direct ? out : page.data());
    if (direct) continue;
    for (std::size_t r = 0; r < rows.count; ++r) {
      const float* row = page.data() + r * columns_ + columns.first;
      for (std::size_t c = 0; c < columns.count; ++c) {
        out[r * rows.step + c * columns.step] = row[c];
      }
    }
  }
  return values;
}

}  // namespace firm
