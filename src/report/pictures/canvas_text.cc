#include "report/pictures/canvas_text.h"

#include <algorithm>
#include <numbers>
#include <vector>

namespace firm {
namespace {

// Size of a superscript and its height above the line, as fractions of the font size.
constexpr double kRaisedSize = 0.72;
constexpr double kRaisedBy = 0.42;

// Distance from the start of the text to its anchor.
double offset(TextStyle::Align align, double width) {
  switch (align) {
    case TextStyle::Align::kLeft:
      return 0;
    case TextStyle::Align::kCentre:
      return width / 2;
    case TextStyle::Align::kRight:
      return width;
  }
  return 0;
}

struct Run {
  std::string text;
  bool raised = false;
};

// Splits a text into parts on the line and superscripts.
std::vector<Run> runs_of(const std::string& text) {
  std::vector<Run> runs;
  for (std::size_t at = 0; at < text.size();) {
    const bool raised = text.compare(at, 2, "^{") == 0;
    if (raised) at += 2;
    const std::size_t end = std::min(text.find(raised ? "}" : "^{", at), text.size());
    runs.push_back({text.substr(at, end - at), raised});
    at = raised ? end + 1 : end;
  }
  return runs;
}

void select_font(cairo_t* context, bool bold) {
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
}

double width_of(cairo_t* context, const Run& run, double size) {
  cairo_set_font_size(context, run.raised ? kRaisedSize * size : size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, run.text.c_str(), &extents);
  return extents.x_advance;
}

double width_of(cairo_t* context, const std::string& text, double size) {
  double width = 0;
  for (const Run& run : runs_of(text)) width += width_of(context, run, size);
  return width;
}

void drop_last_character(std::string& utf8) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (!utf8.empty() && continues(utf8.back())) utf8.pop_back();
  if (!utf8.empty()) utf8.pop_back();
}

struct FittedText {
  std::string text;
  double size = 0;
};

// Shrinks the font and shortens the text until it fits into style.max_width.
FittedText fit(cairo_t* context, const std::string& text, const TextStyle& style) {
  const double width = width_of(context, text, style.size);
  if (style.max_width <= 0 || width <= style.max_width) return {text, style.size};
  FittedText fitted{text, style.size * std::max(0.75, style.max_width / width)};
  std::string kept = text;
  while (width_of(context, fitted.text, fitted.size) > style.max_width && !kept.empty()) {
    drop_last_character(kept);
    fitted.text = kept + "\u2026";
  }
  return fitted;
}

}  // namespace

double measure_text(cairo_t* context, const std::string& text, const TextStyle& style) {
  select_font(context, style.bold);
  return width_of(context, text, style.size);
}

void draw_text(cairo_t* context, Point at, const std::string& text, const TextStyle& style) {
  select_font(context, style.bold);
  const auto [fitted, size] = fit(context, text, style);
  cairo_set_font_size(context, size);
  cairo_font_extents_t font;
  cairo_font_extents(context, &font);
  const Rgb c = style.colour;
  cairo_set_source_rgb(context, c.r / 255.0, c.g / 255.0, c.b / 255.0);
  cairo_translate(context, at.x, at.y);
  if (style.upwards) cairo_rotate(context, -std::numbers::pi / 2);
  // Centres on capitals, not on the letters in the text, so that neighbouring labels line up.
  const double baseline = 0.36 * font.ascent;
  double x = -offset(style.align, width_of(context, fitted, size));
  for (const Run& run : runs_of(fitted)) {
    const double width = width_of(context, run, size);
    cairo_move_to(context, x, run.raised ? baseline - kRaisedBy * size : baseline);
    cairo_show_text(context, run.text.c_str());
    x += width;
  }
}

}  // namespace firm
