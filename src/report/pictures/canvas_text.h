// The text of a canvas: raised parts, and what is done where room is short.
#pragma once

#include <cairo.h>

#include <string>

#include "report/pictures/canvas.h"

namespace firm {

// How long the text is without a limit. Leaves its font in the context.
double measure_text(cairo_t* context, const std::string& text, const TextStyle& style);

// As Canvas::text. Leaves font, colour and origin in the context.
void draw_text(cairo_t* context, Point at, const std::string& text, const TextStyle& style);

}  // namespace firm
