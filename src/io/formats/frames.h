// Frames: a stack (frame, slice, beamlet) in a file, read on demand.
//
// Files differ in the order of their axes, have further axes (elements), and mix frames of several
// kinds in one dataset. HdfFrames is a view of one dataset that hides these differences.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firm/block.h"
#include "io/hdf5/hdf5.h"

namespace firm {

// A range of frames and slices.
struct FrameBox {
  std::size_t first_frame = 0;
  std::size_t frames = 0;
  std::size_t first_slice = 0;
  std::size_t slices = 0;
};

class Frames {
 public:
  struct Facts {
    std::string path;   // of the dataset; else a description of the file
    h5::Shape shape;    // as in the file, or in all files of a folder together
    std::string type;   // "uint16"
    std::string axes;   // as in the file or its format: "theta:y:x"
    std::string units;  // as in the file; default: "counts"; empty if the format has no units
    std::size_t frames = 0;
    std::size_t slices = 0;
    std::size_t beamlets = 0;
    std::size_t chunk = 1;        // frames stored together
    std::size_t slice_chunk = 1;  // slices stored together
  };

  explicit Frames(Facts facts) : facts_(std::move(facts)) {}
  virtual ~Frames() = default;

  const Facts& facts() const { return facts_; }
  std::size_t frames() const { return facts_.frames; }
  std::size_t slices() const { return facts_.slices; }
  std::size_t beamlets() const { return facts_.beamlets; }

  // Values in the order (frame, slice, beamlet). Throws firm::Error when the file is damaged there.
  virtual std::vector<float> read(const FrameBox& box) const = 0;

 private:
  Facts facts_;
};

// Divides the slices `first` .. `first + count - 1` of all frames into pieces of about 32 MiB.
// Pieces consist of whole chunks, so that none is read twice; their slices are a multiple of
// `unit`, as `count` must be. The pieces of a slice have ascending frames.
std::vector<FrameBox> pieces_of(const Frames& frames, std::size_t first, std::size_t count,
                                std::size_t unit = 1);

// Reads the slices `first` .. `first + count - 1` of all frames into a Block. Columns are slices,
// rows are frame * beamlets + beamlet.
Block read_block(const Frames& frames, std::size_t first, std::size_t count);
Block read_block(const Frames& frames);

// Meaning of the axes of a dataset.
struct FrameAxes {
  std::size_t frame = 0;
  std::optional<std::size_t> slice = 1;    // none: the same for all slices
  std::optional<std::size_t> beamlet = 2;  // none: the same for all beamlets
  // Position on each other axis, by axis; ignored for the axes above.
  std::vector<std::size_t> fixed = {};
};

class HdfFrames : public Frames {
 public:
  // `chosen`: ascending numbers of the frames in this stack; empty: all.
  HdfFrames(h5::Dataset dataset, FrameAxes axes, std::vector<std::size_t> chosen, Facts facts);

  std::vector<float> read(const FrameBox& box) const override;

 private:
  // Reads frames first .. first + count - 1 of the dataset into `out`.
  void read_run(std::size_t first, std::size_t count, const FrameBox& box, float* out) const;

  h5::Dataset dataset_;
  FrameAxes axes_;
  std::vector<std::size_t> chosen_;
};

// Facts of a view, with sizes, type and path of the dataset.
Frames::Facts facts_of(const h5::Dataset& dataset, const FrameAxes& axes, std::size_t frames);

}  // namespace firm
