#include "report/pictures/image_png.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "firm/error.h"

namespace firm {
namespace {

// In pixels.
constexpr int kMargin = 18;
constexpr int kScaleHeight = 30;
constexpr int kScaleThickness = 4;
constexpr int kSmallestSide = 96;  // the labels of the colour bar need this height
constexpr double kSmallImage = 400;
constexpr double kLargeImage = 720;
constexpr Rgb kInk = {30, 30, 30};

struct Size {
  int width = 0;
  int height = 0;
};

// Enlarges small images by a whole number, so that their pixels stay squares of one size; reduces
// large ones.
Size picture_size(std::size_t rows, std::size_t columns) {
  const double longer = static_cast<double>(std::max(rows, columns));
  double factor = std::max(1.0, std::ceil(kSmallImage / longer));
  if (longer > kLargeImage) factor = kLargeImage / longer;
  const auto side = [&](std::size_t pixels) {
    const long scaled = std::lround(static_cast<double>(pixels) * factor);
    return std::max(kSmallestSide, static_cast<int>(scaled));
  };
  return {side(columns), side(rows)};
}

struct Unit {
  int exponent;  // the unit has 10^exponent nanometres
  const char* name;
};
constexpr std::array<Unit, 4> kUnits = {{{0, "nm"}, {3, "\u00b5m"}, {6, "mm"}, {9, "m"}}};

// The largest unit that is not longer than 10^exponent nanometres.
Unit unit_for(int exponent) {
  Unit best = kUnits.front();
  for (const Unit& unit : kUnits) {
    if (unit.exponent <= exponent) best = unit;
  }
  return best;
}

void draw_scale(Canvas& canvas, int x, int y, int width, double width_cm) {
  const ScaleBar bar = scale_bar(width_cm);
  const int length = std::max(1, static_cast<int>(std::lround(bar.length / width_cm * width)));
  const auto area = static_cast<std::size_t>(length) * kScaleThickness;
  const int middle = y + kScaleHeight / 2;
  canvas.pixels(x, middle - kScaleThickness / 2, length, kScaleThickness,
                std::vector<Rgb>(area, kInk));
  canvas.text(x + length + 8, middle, bar.label, {.size = 13, .colour = kInk});
}

}  // namespace

ScaleBar scale_bar(double width_cm) {
  FIRM_CHECK(width_cm > 0 && std::isfinite(width_cm));
  const double wanted = std::log10(width_cm * 1e7 / 4);  // log10 of the length in nm
  const int exponent = static_cast<int>(std::floor(wanted));
  const double mantissa = std::pow(10, wanted - exponent);
  // Takes the step nearest by ratio: the limits are geometric means of neighbouring steps.
  const std::array<double, 4> steps = {1, 2, 5, 10};
  std::size_t k = 0;
  while (k + 1 < steps.size() && mantissa * mantissa > steps[k] * steps[k + 1]) ++k;
  const int shown = exponent + (k == 3 ? 1 : 0);
  const double digit = k == 3 ? 1 : steps[k];
  const Unit unit = unit_for(shown);
  return {digit * std::pow(10, shown - 7),
          fmt::format("{:g} {}", digit * std::pow(10, shown - unit.exponent), unit.name)};
}

void write_image_png(const std::string& path, const Panel& panel, double pixel_size_cm,
                     Colormap map) {
  FIRM_CHECK(pixel_size_cm > 0);
  const Size size = picture_size(panel.rows, panel.columns);
  Canvas canvas(2 * kMargin + size.width + kPanelBarWidth,
                kMargin + kPanelTitleHeight + size.height + kScaleHeight + kMargin / 2);
  draw_panel(canvas, kMargin, kMargin / 2, size.width, size.height, panel, map);
  draw_scale(canvas, kMargin, kMargin / 2 + kPanelTitleHeight + size.height, size.width,
             static_cast<double>(panel.columns) * pixel_size_cm);
  canvas.write_png(path);
}

}  // namespace firm
