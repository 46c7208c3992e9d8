#include "report/pictures/colormap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace firm {
namespace {

// Nine equidistant colours of viridis (S. van der Walt and N. Smith, 2015, CC0).
constexpr std::array<Rgb, 9> kViridisAnchors = {{{0x44, 0x01, 0x54},
                                                 {0x47, 0x2d, 0x7b},
                                                 {0x3b, 0x52, 0x8b},
                                                 {0x2c, 0x72, 0x8e},
                                                 {0x21, 0x90, 0x8c},
                                                 {0x27, 0xad, 0x81},
                                                 {0x5d, 0xc8, 0x63},
                                                 {0xaa, 0xdc, 0x32},
                                                 {0xfd, 0xe7, 0x25}}};

constexpr std::array<Rgb, 2> kGreyAnchors = {{{0, 0, 0}, {255, 255, 255}}};

constexpr std::array<Rgb, 5> kDivergingAnchors = {{{0x12, 0x2f, 0x6b},
                                                   {0x4a, 0x86, 0xc5},
                                                   {0xff, 0xff, 0xff},
                                                   {0xd9, 0x6b, 0x4e},
                                                   {0x7a, 0x11, 0x20}}};

constexpr Rgb kNotANumber = {255, 0, 255};

std::uint8_t between(std::uint8_t a, std::uint8_t b, double t) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * t));
}

std::span<const Rgb> anchors_of(Colormap map) {
  switch (map) {
    case Colormap::kViridis:
      return kViridisAnchors;
    case Colormap::kGrey:
      return kGreyAnchors;
    case Colormap::kDiverging:
      return kDivergingAnchors;
  }
  return kGreyAnchors;
}

}  // namespace

Rgb colour_of(Colormap map, double t) {
  if (std::isnan(t)) return kNotANumber;
  const std::span<const Rgb> anchors = anchors_of(map);
  const double position = std::clamp(t, 0.0, 1.0) * static_cast<double>(anchors.size() - 1);
  const auto left = std::min(static_cast<std::size_t>(position), anchors.size() - 2);
  const double fraction = position - static_cast<double>(left);
  const Rgb& a = anchors[left];
  const Rgb& b = anchors[left + 1];
  return {between(a.r, b.r, fraction), between(a.g, b.g, fraction), between(a.b, b.b, fraction)};
}

}  // namespace firm
