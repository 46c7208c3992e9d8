// A program outside FIRM's source tree: what the installed headers and library must allow.
#include <firm/projector.h>
#include <firm/version.h>

#include <iostream>
#include <numeric>

int main() {
  // 3 x 3 pixels of 1 cm, of which the middle one is met by the middle ray at 0 and at 90 degrees.
  const firm::Geometry geometry = firm::paper_geometry(3, 2, 1.0);
  const auto projector = firm::make_projector(geometry);
  firm::Block image(geometry.pixels(), 1);
  firm::Block sinogram(geometry.rays(), 1);
  image(4, 0) = 1;
  projector->forward(image, sinogram);

  const auto values = sinogram.values();
  std::cout << "firm " << firm::kVersion << '\n'
            << "sum " << std::accumulate(values.begin(), values.end(), 0.0F) << '\n';
}
