#include "tomo/strip/padded_pass.h"

#include <algorithm>
#include <type_traits>

#include "core/parallel.h"
#include "firm/error.h"

namespace firm {
namespace {

// Calls visit(constant) for a count of 1 to 8: copies of so few floats are fast only if their
// number is known when they are compiled.
template <class Visit>
void visit_count(std::size_t count, const Visit& visit) {
  switch (count) {
    case 1:
      return visit(std::integral_constant<std::size_t, 1>());
    case 2:
      return visit(std::integral_constant<std::size_t, 2>());
    case 3:
      return visit(std::integral_constant<std::size_t, 3>());
    case 4:
      return visit(std::integral_constant<std::size_t, 4>());
    case 5:
      return visit(std::integral_constant<std::size_t, 5>());
    case 6:
      return visit(std::integral_constant<std::size_t, 6>());
    case 7:
      return visit(std::integral_constant<std::size_t, 7>());
    default:
      return visit(std::integral_constant<std::size_t, 8>());
  }
}

constexpr std::size_t kRows = 1024;  // of a task

// Calls visit(row) for all rows.
template <class Visit>
void each_row(std::size_t rows, int threads, const Visit& visit) {
  parallel_for((rows + kRows - 1) / kRows, threads, [&](std::size_t task) {
    const std::size_t end = std::min((task + 1) * kRows, rows);
    for (std::size_t row = task * kRows; row < end; ++row) visit(row);
  });
}

void pad(const Block& from, ColumnRange columns, int threads, Block& to) {
  const std::size_t width = to.columns();
  visit_count(columns.count, [&](auto count) {
    each_row(from.rows(), threads, [&](std::size_t row) {
      const float* source = from.data() + row * from.columns() + columns.begin;
      float* target = to.data() + row * width;
      for (std::size_t k = 0; k < count; ++k) target[k] = source[k];
      for (std::size_t k = count; k < width; ++k) target[k] = 0;
    });
  });
}

void unpad(const Block& from, ColumnRange columns, int threads, Block& to) {
  visit_count(columns.count, [&](auto count) {
    each_row(from.rows(), threads, [&](std::size_t row) {
      const float* source = from.data() + row * from.columns();
      float* target = to.data() + row * to.columns() + columns.begin;
      for (std::size_t k = 0; k < count; ++k) target[k] = source[k];
    });
  });
}

}  // namespace

PaddedPass::PaddedPass(StripPass& pass, const Geometry& geometry, std::size_t width, int threads)
    : pass_(pass),
      threads_(threads),
      pixels_(geometry.pixels(), width),
      rays_(geometry.rays(), width) {
  FIRM_CHECK(width <= 8);
}

void PaddedPass::forward(const Block& x, ColumnRange columns, Block& y) {
  FIRM_CHECK(columns.count <= pixels_.columns());
  pad(x, columns, threads_, pixels_);
  pass_.forward(pixels_, {0, pixels_.columns(), columns.begin}, rays_);
  unpad(rays_, columns, threads_, y);
}

void PaddedPass::adjoint(const Block& y, ColumnRange columns, Block& x) {
  FIRM_CHECK(columns.count <= rays_.columns());
  pad(y, columns, threads_, rays_);
  pass_.adjoint(rays_, {0, rays_.columns(), columns.begin}, pixels_);
  unpad(pixels_, columns, threads_, x);
}

std::size_t PaddedPass::bytes() const { return (pixels_.size() + rays_.size()) * sizeof(float); }

std::size_t PaddedPass::bytes_for(const Geometry& geometry, std::size_t width) {
  return (geometry.pixels() + geometry.rays()) * width * sizeof(float);
}

}  // namespace firm
