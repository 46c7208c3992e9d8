// One image as a picture for people: title, colour bar, and a bar that shows its scale.
#pragma once

#include <string>

#include "report/pictures/panel.h"

namespace firm {

// The picture is a few hundred pixels wide, whatever the size of the image. Throws firm::Error when
// the file cannot be written.
void write_image_png(const std::string& path, const Panel& panel, double pixel_size_cm,
                     Colormap map = Colormap::kViridis);

struct ScaleBar {
  double length = 0;  // cm: 1, 2 or 5 times a power of ten
  std::string label;  // "50 um", with the Greek letter
};

// For an image of that width: about a quarter of it.
ScaleBar scale_bar(double width_cm);

}  // namespace firm
