// Writes one image as a PNG with title, colour bar and scale bar.
#pragma once

#include <string>

#include "report/pictures/panel.h"

namespace firm {

// The picture is a few hundred pixels wide, whatever the size of the image. Throws firm::Error if
// the file cannot be written.
void write_image_png(const std::string& path, const Panel& panel, double pixel_size_cm,
                     Colormap map = Colormap::kViridis);

struct ScaleBar {
  double length = 0;  // cm: 1, 2 or 5 times a power of ten
  std::string label;  // for instance "50 µm"
};

// A bar of about a quarter of the image's width.
ScaleBar scale_bar(double width_cm);

}  // namespace firm
