#include "report/canvas.h"

#include <cairo.h>

#include <algorithm>
#include <numbers>

#include "firm/error.h"
#include "io/pending_file.h"

namespace firm {
namespace {

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

void set_colour(cairo_t* context, Rgb c) {
  cairo_set_source_rgb(context, c.r / 255.0, c.g / 255.0, c.b / 255.0);
}

// How far left of the anchor the text starts.
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

double width_of(cairo_t* context, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(context, text.c_str(), &extents);
  return extents.x_advance;
}

void drop_last_character(std::string& utf8) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (!utf8.empty() && continues(utf8.back())) utf8.pop_back();
  if (!utf8.empty()) utf8.pop_back();
}

// The text, or as much of it as there is room for; makes the font smaller.
std::string fit(cairo_t* context, const std::string& text, const TextStyle& style) {
  const double width = width_of(context, text);
  if (width <= style.max_width) return text;
  cairo_set_font_size(context, style.size * std::max(0.75, style.max_width / width));
  std::string shown = text;
  for (std::string kept = text; width_of(context, shown) > style.max_width && !kept.empty();) {
    drop_last_character(kept);
    shown = kept + "\u2026";
  }
  return shown;
}

}  // namespace

struct Canvas::State {
  std::unique_ptr<cairo_surface_t, Destroy> surface;
  std::unique_ptr<cairo_t, Destroy> context;
};

Canvas::Canvas(int width, int height) : state_(std::make_unique<State>()) {
  state_->surface.reset(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  state_->context.reset(cairo_create(state_->surface.get()));
  FIRM_CHECK(cairo_status(state_->context.get()) == CAIRO_STATUS_SUCCESS);
  set_colour(state_->context.get(), {255, 255, 255});
  cairo_paint(state_->context.get());
}

Canvas::~Canvas() = default;

int Canvas::width() const { return cairo_image_surface_get_width(state_->surface.get()); }
int Canvas::height() const { return cairo_image_surface_get_height(state_->surface.get()); }

void Canvas::text(double x, double y, const std::string& text, const TextStyle& style) {
  cairo_t* context = state_->context.get();
  cairo_save(context);
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
  const std::string fitting = style.max_width > 0 ? fit(context, text, style) : text;
  cairo_font_extents_t font;
  cairo_font_extents(context, &font);
  set_colour(context, style.colour);
  cairo_translate(context, x, y);
  if (style.upwards) cairo_rotate(context, -std::numbers::pi / 2);
  // The middle between baseline and top of a capital, not of the letters that happen to be used,
  // so that neighbouring labels line up.
  cairo_move_to(context, -offset(style.align, width_of(context, fitting)), 0.36 * font.ascent);
  cairo_show_text(context, fitting.c_str());
  cairo_restore(context);
}

void Canvas::frame(int x, int y, int width, int height, Rgb colour) {
  cairo_t* context = state_->context.get();
  set_colour(context, colour);
  cairo_set_line_width(context, 1);
  // Around the pixels, and in the middle of device pixels, so that the line is sharp.
  cairo_rectangle(context, x - 0.5, y - 0.5, width + 1, height + 1);
  cairo_stroke(context);
}

void Canvas::pixels(int x, int y, int width, int height, std::span<const Rgb> pixels) {
  FIRM_CHECK(x >= 0 && x + width <= this->width());
  FIRM_CHECK(y >= 0 && y + height <= this->height());
  FIRM_CHECK(pixels.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  cairo_surface_t* surface = state_->surface.get();
  cairo_surface_flush(surface);
  unsigned char* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  const Rgb* source = pixels.data();
  for (int row = 0; row < height; ++row) {
    auto* target = reinterpret_cast<std::uint32_t*>(data + (y + row) * stride) + x;
    for (int column = 0; column < width; ++column, ++source) {
      *target++ = (std::uint32_t{source->r} << 16) | (std::uint32_t{source->g} << 8) |
                  std::uint32_t{source->b};
    }
  }
  cairo_surface_mark_dirty(surface);
}

void Canvas::write_png(const std::string& path) const {
  PendingFile file(path);
  const cairo_status_t status =
      cairo_surface_write_to_png(state_->surface.get(), file.temporary().c_str());
  if (status != CAIRO_STATUS_SUCCESS) {
    throw data_error({path, "", "a file that can be written", cairo_status_to_string(status)});
  }
  file.commit();
}

}  // namespace firm
