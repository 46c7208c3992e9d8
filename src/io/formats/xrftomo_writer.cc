#include <span>

#include "firm/error.h"
#include "firm/version.h"
#include "io/formats/xrftomo.h"
#include "io/hdf5/hdf5.h"

namespace firm {

void write_xrftomo(const std::string& path, const ElementMaps& maps) {
  FIRM_CHECK(!maps.data.empty() && maps.data.size() == maps.elements.size());
  const std::size_t angles = maps.theta.size();
  const std::size_t beamlets = maps.data.front()->rows() / angles;
  const std::size_t slices = maps.data.front()->columns();
  h5::Writer writer(path);
  {
    const h5::Handle target = writer.create("/data", {maps.data.size(), angles, slices, beamlets});
    std::vector<float> frame(slices * beamlets);
    for (std::size_t e = 0; e < maps.data.size(); ++e) {
      const Block& block = *maps.data[e];
      FIRM_CHECK(block.rows() == angles * beamlets && block.columns() == slices);
      for (std::size_t k = 0; k < angles; ++k) {
        for (std::size_t x = 0; x < beamlets; ++x) {
          for (std::size_t y = 0; y < slices; ++y) {
            frame[y * beamlets + x] = block(k * beamlets + x, y);
          }
        }
        writer.fill(target, "/data", {{e, k, 0, 0}, {1, 1, slices, beamlets}}, frame);
      }
    }
  }
  writer.attribute("/data", "units", maps.units);
  writer.attribute("/data", "note", maps.note);
  writer.attribute("/data", "program", std::string("firm ") + kVersion);
  writer.texts("/elements", maps.elements);
  writer.dataset("/thetas", {angles}, std::span<const double>(maps.theta));
  writer.attribute("/thetas", "units", "degrees");
  writer.commit();
}

}  // namespace firm
