#include <algorithm>

#include "firm/error.h"
#include "firm/version.h"
#include "io/formats/data_exchange.h"
#include "io/formats/data_exchange_paths.h"
#include "io/hdf5/hdf5.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

namespace dx = data_exchange;

// Writes frame by frame, so that only one frame is in memory in file order.
void write_stack(h5::Writer& writer, const std::string& path, const Block& block,
                 std::size_t beamlets, const std::string& axes, const std::string& units) {
  const std::size_t frames = block.rows() / beamlets;
  const std::size_t slices = block.columns();
  FIRM_CHECK(frames * beamlets == block.rows());
  {
    const h5::Handle target = writer.create(path, {frames, slices, beamlets});
    std::vector<float> frame(slices * beamlets);
    for (std::size_t f = 0; f < frames; ++f) {
      for (std::size_t x = 0; x < beamlets; ++x) {
        for (std::size_t y = 0; y < slices; ++y) {
          frame[y * beamlets + x] = block(f * beamlets + x, y);
        }
      }
      writer.fill(target, path, {{f, 0, 0}, {1, slices, beamlets}}, frame);
    }
  }
  writer.attribute(path, "axes", axes);
  writer.attribute(path, "units", units);
}

}  // namespace

void write_acquisition(const std::string& path, const Acquisition& a) {
  const std::size_t beamlets = static_cast<std::size_t>(a.beamlets);
  FIRM_CHECK(a.data.rows() == a.theta.size() * beamlets);
  h5::Writer writer(path);
  writer.text(dx::kImplements, "exchange:measurement:process");
  writer.text(dx::kTitle, a.title);
  write_stack(writer, dx::kData, a.data, beamlets, dx::kDefaultAxes, a.units);
  if (a.white.rows() > 0) {
    write_stack(writer, dx::kWhite, a.white, beamlets, "theta_white:y:x", "counts");
  }
  if (a.dark.rows() > 0) {
    write_stack(writer, dx::kDark, a.dark, beamlets, "theta_dark:y:x", "counts");
  }
  writer.dataset(dx::kTheta, {a.theta.size()}, std::span<const double>(a.theta));
  writer.attribute(dx::kTheta, "units", "degrees");

  writer.number(dx::kSpacing, a.spacing / kMicrometre, "um");
  writer.number(dx::kRotationAxis, a.rotation_axis, "beamlets");
  writer.attribute(dx::kRotationAxis, "description",
                   "edge coordinates: the middle of the detector is beamlets / 2");
  writer.text(dx::kProgram, "firm");
  writer.text(dx::kProgramVersion, kVersion);
  writer.text(dx::kProgramNote, a.note);
  writer.commit();
}

}  // namespace firm
