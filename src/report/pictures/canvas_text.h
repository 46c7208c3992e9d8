// Draws the text of a canvas, with superscripts, and fits it into a limited width.
#pragma once

#include <cairo.h>

#include <string>

#include "report/pictures/canvas.h"

namespace firm {

// Width of the text, ignoring max_width. Leaves its font in the context.
double measure_text(cairo_t* context, const std::string& text, const TextStyle& style);

// See Canvas::text. Leaves font, colour and origin in the context.
void draw_text(cairo_t* context, Point at, const std::string& text, const TextStyle& style);

}  // namespace firm
