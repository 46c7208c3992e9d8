#include "report/pictures/canvas.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numbers>
#include <string_view>
#include <utility>

#include "firm/error.h"
#include "io/files/pending_file.h"
#include "report/pictures/canvas_text.h"

namespace firm {
namespace {

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;

void set_colour(cairo_t* context, Rgb c, double opacity = 1) {
  cairo_set_source_rgba(context, c.r / 255.0, c.g / 255.0, c.b / 255.0, opacity);
}

// The const_cast is safe: cairo only reads `rgb`, and an SVG keeps a copy.
void draw_pixels(cairo_t* context, int x, int y, int width, int height,
                 const std::vector<std::uint32_t>& rgb) {
  auto* data = reinterpret_cast<unsigned char*>(const_cast<std::uint32_t*>(rgb.data()));
  const int stride = width * static_cast<int>(sizeof(std::uint32_t));
  const Surface image(
      cairo_image_surface_create_for_data(data, CAIRO_FORMAT_RGB24, width, height, stride));
  cairo_set_source_surface(context, image.get(), x, y);
  cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST);
  cairo_paint(context);
}

void trace(cairo_t* context, std::span<const Point> points) {
  for (const Point& p : points) cairo_line_to(context, p.x, p.y);
}

void draw_line(cairo_t* context, std::span<const Point> points, const Stroke& stroke) {
  trace(context, points);
  set_colour(context, stroke.colour);
  cairo_set_line_width(context, stroke.width);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(context, stroke.dash.data(), static_cast<int>(stroke.dash.size()), 0);
  cairo_stroke(context);
}

void trace_marker(cairo_t* context, Point c, const Marker& marker) {
  const double r = marker.size / 2;
  switch (marker.shape) {
    case Marker::Shape::kCircle:
      cairo_arc(context, c.x, c.y, r, 0, 2 * std::numbers::pi);
      break;
    case Marker::Shape::kSquare:
      cairo_rectangle(context, c.x - 0.89 * r, c.y - 0.89 * r, 1.78 * r, 1.78 * r);
      break;
    case Marker::Shape::kTriangle:
      trace(context, std::vector<Point>{{c.x, c.y - 1.3 * r},
                                        {c.x + 1.2 * r, c.y + 0.85 * r},
                                        {c.x - 1.2 * r, c.y + 0.85 * r}});
      break;
    case Marker::Shape::kDiamond:
      trace(context, std::vector<Point>{{c.x, c.y - 1.3 * r},
                                        {c.x + 1.3 * r, c.y},
                                        {c.x, c.y + 1.3 * r},
                                        {c.x - 1.3 * r, c.y}});
      break;
  }
  cairo_close_path(context);
}

void draw_marker(cairo_t* context, Point centre, const Marker& marker) {
  trace_marker(context, centre, marker);
  set_colour(context, marker.filled ? marker.colour : Rgb{255, 255, 255});
  cairo_fill_preserve(context);
  set_colour(context, marker.colour);
  cairo_set_line_width(context, 1.2);
  cairo_stroke(context);
}

// Makes cairo's SVG reproducible: renumbers its ids, such as id="surface7", which count all
// pictures of a process. Also asks viewers to draw pixels as squares.
std::string tidied(const std::string& svg) {
  constexpr std::string_view kName = " id=\"";
  std::map<std::string, std::string> names;
  for (auto at = svg.find(kName); at != std::string::npos; at = svg.find(kName, at)) {
    at += kName.size();
    names.try_emplace(svg.substr(at, svg.find('"', at) - at), fmt::format("n{}", names.size()));
  }
  std::string result;
  for (std::size_t at = 0; at < svg.size();) {
    const std::size_t end = std::min(svg.find_first_of("\"#)", at), svg.size() - 1);
    const std::string piece = svg.substr(at, end - at);
    const auto name = names.find(piece);
    result += name == names.end() ? piece : name->second;
    if (piece.ends_with("<image id=")) {
      result.insert(result.size() - 3, "style=\"image-rendering:pixelated\" ");
    }
    result += svg[end];
    at = end + 1;
  }
  return result;
}

cairo_status_t append(void* text, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

// Also reports text that is not UTF-8 and pictures that are too large for cairo.
void check_written(cairo_status_t status, const std::string& path) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw data_error({path, "", "a file that can be written", cairo_status_to_string(status)});
}

}  // namespace

struct Canvas::State {
  using Step = std::function<void(cairo_t*)>;

  // Records a step and restores the context after it, including the path, which text would begin.
  void add(Step draw) {
    steps.push_back([draw = std::move(draw)](cairo_t* context) {
      cairo_save(context);
      draw(context);
      cairo_restore(context);
      cairo_new_path(context);
    });
  }
  cairo_status_t draw_on(cairo_surface_t* surface) const {
    const Context context(cairo_create(surface));
    set_colour(context.get(), {255, 255, 255});
    cairo_paint(context.get());
    for (const Step& step : steps) step(context.get());
    return cairo_status(context.get());
  }

  int width = 0;
  int height = 0;
  std::vector<Step> steps;
  Context ruler;  // to measure text
};

Canvas::Canvas(int width, int height) : state_(std::make_unique<State>()) {
  state_->width = width;
  state_->height = height;
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1));
  state_->ruler.reset(cairo_create(surface.get()));
}

Canvas::~Canvas() = default;

int Canvas::width() const { return state_->width; }
int Canvas::height() const { return state_->height; }

void Canvas::text(double x, double y, const std::string& text, const TextStyle& style) {
  state_->add([=](cairo_t* context) { draw_text(context, {x, y}, text, style); });
}

double Canvas::text_width(const std::string& text, const TextStyle& style) const {
  return measure_text(state_->ruler.get(), text, style);
}

void Canvas::frame(int x, int y, int width, int height, Rgb colour) {
  state_->add([=](cairo_t* context) {
    set_colour(context, colour);
    cairo_set_line_width(context, 1);
    // Encloses the pixels; runs through the middle of device pixels, so that the line is sharp.
    cairo_rectangle(context, x - 0.5, y - 0.5, width + 1, height + 1);
    cairo_stroke(context);
  });
}

void Canvas::pixels(int x, int y, int width, int height, std::span<const Rgb> pixels) {
  FIRM_CHECK(x >= 0 && x + width <= this->width());
  FIRM_CHECK(y >= 0 && y + height <= this->height());
  FIRM_CHECK(pixels.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  // Cairo wants 32 bits per pixel.
  std::vector<std::uint32_t> rgb;
  rgb.reserve(pixels.size());
  for (const Rgb& p : pixels) {
    rgb.push_back((std::uint32_t{p.r} << 16) | (std::uint32_t{p.g} << 8) | std::uint32_t{p.b});
  }
  state_->add([=](cairo_t* context) { draw_pixels(context, x, y, width, height, rgb); });
}

void Canvas::line(std::span<const Point> points, const Stroke& stroke) {
  state_->add([kept = std::vector<Point>(points.begin(), points.end()), stroke](cairo_t* context) {
    draw_line(context, kept, stroke);
  });
}

void Canvas::area(std::span<const Point> corners, Rgb colour, double opacity) {
  state_->add([kept = std::vector<Point>(corners.begin(), corners.end()), colour,
               opacity](cairo_t* context) {
    trace(context, kept);
    set_colour(context, colour, opacity);
    cairo_fill(context);
  });
}

void Canvas::marker(Point centre, const Marker& marker) {
  state_->add([=](cairo_t* context) { draw_marker(context, centre, marker); });
}

void Canvas::clip(int x, int y, int width, int height) {
  state_->steps.push_back([=](cairo_t* context) {
    cairo_rectangle(context, x, y, width, height);
    cairo_clip(context);
  });
}

void Canvas::unclip() { state_->steps.emplace_back(cairo_reset_clip); }

void Canvas::write_png(const std::string& path) const {
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, state_->width, state_->height));
  check_written(state_->draw_on(surface.get()), path);
  PendingFile file(path);
  check_written(cairo_surface_write_to_png(surface.get(), file.temporary().c_str()), path);
  file.commit();
}

void Canvas::write_svg(const std::string& path) const {
  std::string svg;
  const Surface surface(
      cairo_svg_surface_create_for_stream(append, &svg, state_->width, state_->height));
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  check_written(state_->draw_on(surface.get()), path);
  cairo_surface_finish(surface.get());
  check_written(cairo_surface_status(surface.get()), path);
  write_text_file(path, tidied(svg));
}

}  // namespace firm
