#include "report/pictures/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firm/error.h"
#include "report/pictures/montage.h"

namespace firm {
namespace {

Panel panel_of(const ImageStack& stack, const ImageGrid& grid, std::size_t slice) {
  return {stack.name, grid.rows, grid.columns, stack.images.slice(slice), stack.units};
}

// The range of the truth, or that of the reconstruction if the truth has only one value, as for an
// element that the sample does not contain.
ValueRange common_range(const Panel& truth, const Panel& image) {
  const ValueRange range = range_of(truth.values);
  return range.low < range.high ? range : range_of(image.values);
}

Panel difference_of(const Panel& image, const Panel& truth) {
  Panel panel = image;
  for (std::size_t k = 0; k < panel.values.size(); ++k) panel.values[k] -= truth.values[k];
  const ValueRange range = range_of(panel.values);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  panel.range = ValueRange{-largest, largest};
  return panel;
}

MontageRow make_row(const std::string& label, Colormap map, const ImageGrid& grid) {
  const double height = static_cast<double>(grid.rows) / static_cast<double>(grid.columns);
  // Distorts very long images, so that their labels fit.
  return {label, map, std::clamp(height, 0.25, 4.0), {}};
}

}  // namespace

void write_overview(const std::string& path, const std::string& title, const ImageGrid& grid,
                    const std::vector<ImageStack>& images, const std::vector<ImageStack>& truth,
                    std::size_t slice) {
  FIRM_CHECK(!images.empty() && (truth.empty() || truth.size() == images.size()));
  MontageRow truths = make_row("truth", Colormap::kViridis, grid);
  MontageRow reconstructions = make_row("reconstruction", Colormap::kViridis, grid);
  MontageRow differences = make_row("difference", Colormap::kDiverging, grid);
  for (std::size_t i = 0; i < images.size(); ++i) {
    Panel image = panel_of(images[i], grid, slice);
    if (!truth.empty()) {
      FIRM_CHECK(truth[i].name == images[i].name);
      Panel known = panel_of(truth[i], grid, slice);
      known.range = image.range = common_range(known, image);
      differences.panels.push_back(difference_of(image, known));
      truths.panels.push_back(std::move(known));
    }
    reconstructions.panels.push_back(std::move(image));
  }
  Montage montage{title, {std::move(reconstructions)}};
  const std::size_t slices = images.front().images.count();
  if (slices > 1) montage.subtitle = fmt::format("slice {} (of 0 to {})", slice, slices - 1);
  if (!truth.empty()) {
    montage.rows.insert(montage.rows.begin(), std::move(truths));
    montage.rows.push_back(std::move(differences));
  }
  write_montage(path, montage);
}

}  // namespace firm
