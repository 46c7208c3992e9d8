#include "io/formats/frames.h"

#include <algorithm>

#include "core/interruption.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{32} << 20;
// A chunk of frames with all slices may be so many times larger than a piece before it is split.
constexpr std::size_t kPatience = 8;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::vector<FrameBox> pieces_of(const Frames& frames, std::size_t first, std::size_t count,
                                std::size_t unit) {
  const std::size_t rows =
      std::max<std::size_t>(1, kPieceBytes / (frames.beamlets() * sizeof(float)));
  const std::size_t chunk = std::clamp<std::size_t>(frames.facts().chunk, 1, frames.frames());
  std::size_t slices = count;
  if (chunk > 1 && chunk * count > kPatience * rows) {
    const std::size_t some = std::max<std::size_t>(1, rows / chunk);
    slices = std::min(count, round_up(round_up(some, frames.facts().slice_chunk), unit));
  }
  const std::size_t together = std::max<std::size_t>(1, rows / (slices * chunk)) * chunk;
  std::vector<FrameBox> pieces;
  for (std::size_t z = 0; z < count; z += slices) {
    for (std::size_t f = 0; f < frames.frames(); f += together) {
      pieces.push_back(
          {f, std::min(together, frames.frames() - f), first + z, std::min(slices, count - z)});
    }
  }
  return pieces;
}

Block read_block(const Frames& frames, std::size_t first, std::size_t count) {
  const std::size_t beamlets = frames.beamlets();
  Block block(frames.frames() * beamlets, count);
  for (const FrameBox& box : pieces_of(frames, first, count)) {
    check_interruption();
    const std::vector<float> values = frames.read(box);
    const float* value = values.data();
    for (std::size_t k = 0; k < box.frames; ++k) {
      for (std::size_t y = 0; y < box.slices; ++y) {
        const std::size_t row = (box.first_frame + k) * beamlets;
        const std::size_t column = box.first_slice - first + y;
        for (std::size_t x = 0; x < beamlets; ++x) block(row + x, column) = *value++;
      }
    }
  }
  return block;
}

Block read_block(const Frames& frames) { return read_block(frames, 0, frames.slices()); }

Frames::Facts facts_of(const h5::Dataset& dataset, const FrameAxes& axes, std::size_t frames) {
  Frames::Facts facts;
  facts.path = dataset.path();
  facts.shape = dataset.shape();
  facts.type = dataset.type_name();
  facts.frames = frames;
  facts.slices = axes.slice ? dataset.shape()[*axes.slice] : 1;
  facts.beamlets = axes.beamlet ? dataset.shape()[*axes.beamlet] : 1;
  if (!dataset.chunk().empty()) {
    facts.chunk = std::max<std::size_t>(1, dataset.chunk()[axes.frame]);
    if (axes.slice) facts.slice_chunk = std::max<std::size_t>(1, dataset.chunk()[*axes.slice]);
  }
  return facts;
}

HdfFrames::HdfFrames(h5::Dataset dataset, FrameAxes axes, std::vector<std::size_t> chosen,
                     Facts facts)
    : Frames(std::move(facts)),
      dataset_(std::move(dataset)),
      axes_(std::move(axes)),
      chosen_(std::move(chosen)) {
  axes_.fixed.resize(dataset_.shape().size(), 0);
  FIRM_CHECK(std::is_sorted(chosen_.begin(), chosen_.end()));
}

std::vector<float> HdfFrames::read(const FrameBox& box) const {
  const std::size_t frame_size = box.slices * beamlets();
  std::vector<float> values(box.frames * frame_size);
  if (chosen_.empty()) {
    read_run(box.first_frame, box.frames, box, values.data());
    return values;
  }
  for (std::size_t k = 0; k < box.frames;) {
    const std::size_t first = chosen_.at(box.first_frame + k);
    std::size_t count = 1;
    while (k + count < box.frames && chosen_.at(box.first_frame + k + count) == first + count) {
      ++count;
    }
    read_run(first, count, box, values.data() + k * frame_size);
    k += count;
  }
  return values;
}

void HdfFrames::read_run(std::size_t first, std::size_t count, const FrameBox& box,
                         float* out) const {
  h5::Slab slab{axes_.fixed, h5::Shape(axes_.fixed.size(), 1)};
  slab.start[axes_.frame] = first;
  slab.count[axes_.frame] = count;
  if (axes_.slice) {
    slab.start[*axes_.slice] = box.first_slice;
    slab.count[*axes_.slice] = box.slices;
  }
  if (axes_.beamlet) slab.count[*axes_.beamlet] = beamlets();
  std::vector<float> stored(h5::element_count(slab.count));
  dataset_.read(slab, std::span<float>(stored));
  // Distance of neighbours along each axis of `stored`.
  std::vector<std::size_t> steps(slab.count.size(), 1);
  for (std::size_t axis = steps.size(); axis-- > 1;) {
    steps[axis - 1] = steps[axis] * slab.count[axis];
  }
  const std::size_t slice_step = axes_.slice ? steps[*axes_.slice] : 0;
  const std::size_t beamlet_step = axes_.beamlet ? steps[*axes_.beamlet] : 0;
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t y = 0; y < box.slices; ++y) {
      const float* row = stored.data() + f * steps[axes_.frame] + y * slice_step;
      for (std::size_t x = 0; x < beamlets(); ++x) *out++ = row[x * beamlet_step];
    }
  }
}

}  // namespace firm
