#include "io/frames.h"

#include <algorithm>

#include "firm/error.h"

namespace firm {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{32} << 20;

}  // namespace

std::size_t batch_frames(const Frames& frames, std::size_t slices) {
  const std::size_t some = kBatchBytes / (frames.beamlets() * slices * sizeof(float));
  const std::size_t chunk = frames.facts().chunk;
  return std::max<std::size_t>(1, some / chunk) * chunk;
}

Block read_block(const Frames& frames, std::size_t first, std::size_t count) {
  const std::size_t beamlets = frames.beamlets();
  Block block(frames.frames() * beamlets, count);
  const std::size_t batch = batch_frames(frames, count);
  for (std::size_t f = 0; f < frames.frames(); f += batch) {
    const std::size_t some = std::min(batch, frames.frames() - f);
    const std::vector<float> values = frames.read({f, some, first, count});
    const float* value = values.data();
    for (std::size_t k = f; k < f + some; ++k) {
      for (std::size_t y = 0; y < count; ++y) {
        for (std::size_t x = 0; x < beamlets; ++x) block(k * beamlets + x, y) = *value++;
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
  facts.beamlets = dataset.shape()[axes.beamlet];
  if (!dataset.chunk().empty()) {
    facts.chunk = std::max<std::size_t>(1, dataset.chunk()[axes.frame]);
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
  slab.start[axes_.beamlet] = 0;
  slab.count[axes_.beamlet] = beamlets();
  std::vector<float> stored(h5::element_count(slab.count));
  dataset_.read(slab, std::span<float>(stored));
  // Steps between neighbours along an axis, in what was read.
  std::vector<std::size_t> steps(slab.count.size(), 1);
  for (std::size_t axis = steps.size(); axis-- > 1;) {
    steps[axis - 1] = steps[axis] * slab.count[axis];
  }
  const std::size_t slice_step = axes_.slice ? steps[*axes_.slice] : 0;
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t y = 0; y < box.slices; ++y) {
      const float* row = stored.data() + f * steps[axes_.frame] + y * slice_step;
      for (std::size_t x = 0; x < beamlets(); ++x) *out++ = row[x * steps[axes_.beamlet]];
    }
  }
}

}  // namespace firm
