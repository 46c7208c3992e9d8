// Writes the layout of XRFtomo: sinograms of several elements in one file (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include "firm/block.h"

namespace firm {

struct ElementMaps {
  std::string units;          // of all data: "counts", "g/cm^2"
  std::string note;           // origin of the data, one line
  std::vector<double> theta;  // degrees
  std::vector<std::string> elements;
  // One per element, of equal size. Columns are slices; rows are angle * beamlets + beamlet.
  std::vector<const Block*> data;
};

// Throws firm::Error when the file cannot be written. Equal arguments give equal bytes.
void write_xrftomo(const std::string& path, const ElementMaps& maps);

}  // namespace firm
