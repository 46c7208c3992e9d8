// Frames: a stack of detector rows, (frame, slice, beamlet), wherever a file has it.
//
// Files differ in the order of their axes, have further axes (elements), and mix frames of several
// kinds in one dataset. HdfFrames is a view of one dataset that hides all that; values are read
// when they are asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"
#include "io/hdf5/hdf5.h"

namespace firm {

// What to read of a stack.
struct FrameBox {
  std::size_t first_frame = 0;
  std::size_t frames = 0;
  std::size_t first_slice = 0;
  std::size_t slices = 0;
};

class Frames {
 public:
  struct Facts {
    std::string path;   // of the dataset; where there is none, what the values are in
    h5::Shape shape;    // as in the file, or as in all files of a folder together
    std::string type;   // "uint16"
    std::string axes;   // as in the file, or as its format has them: "theta:y:x"
    std::string units;  // as in the file, "counts" where it does not say, empty where it cannot
    std::size_t frames = 0;
    std::size_t slices = 0;
    std::size_t beamlets = 0;
    std::size_t chunk = 1;        // frames that are stored together
    std::size_t slice_chunk = 1;  // and slices
  };

  explicit Frames(Facts facts) : facts_(std::move(facts)) {}
  virtual ~Frames() = default;

  const Facts& facts() const { return facts_; }
  std::size_t frames() const { return facts_.frames; }
  std::size_t slices() const { return facts_.slices; }
  std::size_t beamlets() const { return facts_.beamlets; }

  // In the order (frame, slice, beamlet). Throws firm::Error when the file is damaged there.
  virtual std::vector<float> read(const FrameBox& box) const = 0;

 private:
  Facts facts_;
};

// Pieces to be read one after the other: together they are the slices `first` .. `first + count -
// 1` of all frames. A piece has some 32 MiB, and whole chunks, so that none is read twice; its
// slices are a multiple of `unit`, as `count` is. Of every slice, the frames come in their order.
std::vector<FrameBox> pieces_of(const Frames& frames, std::size_t first, std::size_t count,
                                std::size_t unit = 1);

// The slices `first` .. `first + count - 1` of all frames as a Block: rows are frame * beamlets +
// beamlet, columns are slices.
Block read_block(const Frames& frames, std::size_t first, std::size_t count);
Block read_block(const Frames& frames);

// Which axis of a dataset is what.
struct FrameAxes {
  std::size_t frame = 0;
  std::optional<std::size_t> slice = 1;    // none: the same for all slices
  std::optional<std::size_t> beamlet = 2;  // none: the same for all beamlets
  // Position on the other axes, by axis; those above have none.
  std::vector<std::size_t> fixed = {};
};

class HdfFrames : public Frames {
 public:
  // `chosen`: the numbers of the frames that belong to this stack, ascending; empty: all of them.
  HdfFrames(h5::Dataset dataset, FrameAxes axes, std::vector<std::size_t> chosen, Facts facts);

  std::vector<float> read(const FrameBox& box) const override;

 private:
  // Frames first .. first + count - 1 of the dataset, into `out`.
  void read_run(std::size_t first, std::size_t count, const FrameBox& box, float* out) const;

  h5::Dataset dataset_;
  FrameAxes axes_;
  std::vector<std::size_t> chosen_;
};

// Facts of such a view: sizes, type and path from the dataset.
Frames::Facts facts_of(const h5::Dataset& dataset, const FrameAxes& axes, std::size_t frames);

}  // namespace firm
