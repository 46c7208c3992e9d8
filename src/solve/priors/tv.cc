#include "solve/priors/tv.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr std::size_t kPieceRows = 16;  // summed in single precision

TvShape shape_of(const TvOptions& o) {
  FIRM_CHECK(o.image_rows >= 1 && o.image_columns >= 1 && o.slices >= 1);
  FIRM_CHECK(!o.lambda.empty() && o.lambda.size() % o.slices == 0);
  FIRM_CHECK(std::isfinite(o.slice_scale) && o.slice_scale >= 0);
  const auto image_columns = static_cast<std::size_t>(o.image_columns);
  return {static_cast<std::size_t>(o.image_rows), image_columns * o.lambda.size(), o.lambda.size(),
          o.slice_scale > 0 && o.slices > 1};
}

void check_lambda(const TvOptions& o, const std::vector<double>& lambda) {
  FIRM_CHECK(lambda.size() == o.lambda.size());
  for (std::size_t c = 0; c < lambda.size(); ++c) {
    FIRM_CHECK(std::isfinite(lambda[c]) && lambda[c] >= 0);
    FIRM_CHECK(o.slice_scale == 0 || lambda[c] == lambda[c / o.slices * o.slices]);
  }
}

}  // namespace

TotalVariation::TotalVariation(const TvOptions& options)
    : options_(options),
      shape_(shape_of(options)),
      functions_(shape_.slices ? &tv_kernel(options.kernel).volume
                               : &tv_kernel(options.kernel).plane),
      threads_(thread_count(options.threads)),
      sweep_(shape_, tv_kernel(options.kernel), threads_),
      inverse_(shape_.values),
      share_(shape_.slices ? shape_.values : 0),
      slice_weight_(shape_.slices ? shape_.values : 0),
      weight_(shape_.values),
      moves_(shape_.values),
      sums_(pieces() * shape_.values) {
  check_lambda(options_, options_.lambda);
  set_inner(options.inner);
  if (!shape_.slices) return;
  std::vector<double> weights(columns(), options.slice_scale);
  for (std::size_t c = options.slices - 1; c < columns(); c += options.slices) weights[c] = 0;
  fill_pattern(slice_weight_, weights);
}

void TotalVariation::set_inner(int inner) {
  FIRM_CHECK(inner >= 1);
  options_.inner = inner;
}

void TotalVariation::set_lambda(std::vector<double> lambda) {
  check_lambda(options_, lambda);
  options_.lambda = std::move(lambda);
}

void TotalVariation::check_image(const Block& w) const {
  FIRM_CHECK(w.rows() * w.columns() == shape_.rows * shape_.values);
  FIRM_CHECK(w.columns() == columns());
}

void TotalVariation::fill_pattern(std::vector<float>& pattern,
                                  const std::vector<double>& per_column) const {
  for (std::size_t j = 0; j < pattern.size(); ++j) {
    pattern[j] = static_cast<float>(per_column[j % columns()]);
  }
}

void TotalVariation::fill_patterns(std::span<const double> steps) {
  FIRM_CHECK(steps.size() == columns());
  std::vector<double> inverse(columns(), 0.0), share(columns(), 0.0), weight(columns(), 0.0),
      moves(columns(), 0.0);
  const std::size_t together = shape_.slices ? options_.slices : 1;
  dual_moves_ = false;
  for (std::size_t first = 0; first < columns(); first += together) {
    const auto of_variable = steps.subspan(first, together);
    const double largest = *std::max_element(of_variable.begin(), of_variable.end());
    for (std::size_t c = first; c < first + together; ++c) {
      FIRM_CHECK(std::isfinite(steps[c]) && steps[c] >= 0);
      moves[c] = steps[c] > 0 ? 1 : 0;
      weight[c] = steps[c] * options_.lambda[c];
      share[c] = largest > 0 ? steps[c] / largest : 0;
      const double most = largest * options_.lambda[c];
      inverse[c] = most > 0 ? std::min(1 / most, 1e37) : 0;
      dual_moves_ = dual_moves_ || most > 0;
    }
  }
  fill_pattern(inverse_, inverse);
  fill_pattern(share_, share);
  fill_pattern(weight_, weight);
  fill_pattern(moves_, moves);
}

// In units of t lambda: x = max(v / (t lambda) - G^T r, 0), and the step on the dual is 1 /
// ||G||^2.
void TotalVariation::move_dual(const Block& v) {
  const double a = shape_.slices ? options_.slice_scale : 0;
  TvStepRow row{};
  row.step = static_cast<float>(1 / (8 + 4 * a * a));
  row.inverse = inverse_.data();
  row.share = share_.data();
  row.slice_scale = static_cast<float>(a);
  row.slice_weight = slice_weight_.data();
  sweep_.run(row, v.data(), options_.inner);
}

void TotalVariation::form_image(Block& w) {
  TvImageRow pattern{};
  pattern.values = shape_.values;
  pattern.columns = shape_.columns;
  pattern.stride = sweep_.dual(0).stride();
  pattern.weight = weight_.data();
  pattern.moves = moves_.data();
  pattern.slice_scale = static_cast<float>(options_.slice_scale);
  by_pieces([&](std::size_t, std::size_t i) {
    TvImageRow row = pattern;
    for (int part = 0; part < shape_.parts(); ++part) {
      row.p[part] = sweep_.dual(part).row(static_cast<std::ptrdiff_t>(i));
    }
    row.x = w.data() + i * shape_.values;
    functions_->image(row);
  });
}

void TotalVariation::proximal_step(std::span<const double> steps, Block& w) {
  check_image(w);
  fill_patterns(steps);
  if (dual_moves_) move_dual(w);
  form_image(w);
}

std::size_t TotalVariation::pieces() const { return (shape_.rows + kPieceRows - 1) / kPieceRows; }

template <typename Add>
void TotalVariation::by_pieces(const Add& add) const {
  parallel_for(
      pieces(), threads_,
      [&](std::size_t piece) {
        const std::size_t end = std::min(shape_.rows, (piece + 1) * kPieceRows);
        for (std::size_t i = piece * kPieceRows; i < end; ++i) add(piece, i);
      },
      Handout::kRanges);
}

void TotalVariation::add_values(const Block& w, std::span<double> values) {
  check_image(w);
  FIRM_CHECK(values.size() == columns());
  std::fill(sums_.begin(), sums_.end(), 0.0f);
  by_pieces([&](std::size_t piece, std::size_t i) {
    TvValueRow row{};
    row.values = shape_.values;
    row.columns = shape_.columns;
    row.w = w.data() + i * shape_.values;
    row.next = i + 1 < shape_.rows ? row.w + shape_.values : row.w;
    row.slice_weight = slice_weight_.data();
    row.sums = sums_.data() + piece * shape_.values;
    functions_->value(row);
  });
  std::vector<double> totals(columns(), 0.0);
  for (std::size_t j = 0; j < sums_.size(); j += columns()) {
    for (std::size_t c = 0; c < columns(); ++c) totals[c] += static_cast<double>(sums_[j + c]);
  }
  for (std::size_t c = 0; c < columns(); ++c) values[c] += options_.lambda[c] * totals[c];
}

void TotalVariation::add_dual_products(const Block& w, std::span<double> values) const {
  check_image(w);
  FIRM_CHECK(values.size() == columns());
  std::vector<double> products(pieces() * columns(), 0.0);
  by_pieces([&](std::size_t piece, std::size_t i) {
    const float* x = w.data() + i * shape_.values;
    const float* p[kTvParts] = {};
    for (int part = 0; part < shape_.parts(); ++part) {
      p[part] = sweep_.dual(part).row(static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t j = 0; j < shape_.values; ++j) {
      const auto difference = [&](std::size_t distance) {
        return static_cast<double>(x[j + distance]) - static_cast<double>(x[j]);
      };
      double sum = 0;
      if (i + 1 < shape_.rows) sum += static_cast<double>(p[0][j]) * difference(shape_.values);
      if (j + columns() < shape_.values)
        sum += static_cast<double>(p[1][j]) * difference(columns());
      if (shape_.slices && slice_weight_[j] > 0) {
        sum += options_.slice_scale * static_cast<double>(p[2][j]) * difference(1);
      }
      products[piece * columns() + j % columns()] += sum;
    }
  });
  for (std::size_t k = 0; k < products.size(); ++k) {
    const std::size_t c = k % columns();
    values[c] += options_.lambda[c] * products[k];
  }
}

void TotalVariation::add_adjoint(Block& z) const {
  check_image(z);
  const auto stride = static_cast<std::ptrdiff_t>(sweep_.dual(0).stride());
  const auto width = static_cast<std::ptrdiff_t>(columns());
  by_pieces([&](std::size_t, std::size_t i) {
    float* out = z.data() + i * shape_.values;
    const auto at = [&](int part, std::ptrdiff_t j) {
      return static_cast<double>(sweep_.dual(part).row(static_cast<std::ptrdiff_t>(i))[j]);
    };
    for (std::size_t k = 0; k < shape_.values; ++k) {
      const auto j = static_cast<std::ptrdiff_t>(k);
      double sum = at(0, j - stride) - at(0, j) + at(1, j - width) - at(1, j);
      if (shape_.slices) sum += options_.slice_scale * (at(2, j - 1) - at(2, j));
      out[k] += static_cast<float>(options_.lambda[k % columns()] * sum);
    }
  });
}

void TotalVariation::take_dual(const Block& between_rows, const Block& between_columns) {
  FIRM_CHECK(!shape_.slices);
  check_image(between_rows);
  check_image(between_columns);
  const Block* const from[] = {&between_rows, &between_columns};
  for (int part = 0; part < 2; ++part) {
    for (std::size_t i = 0; i < shape_.rows; ++i) {
      float* const row = sweep_.dual(part).row(static_cast<std::ptrdiff_t>(i));
      const float* const values = from[part]->data() + i * shape_.values;
      for (std::size_t j = 0; j < shape_.values; ++j) {
        const double lambda = options_.lambda[j % shape_.columns];
        row[j] = lambda > 0 ? values[j] / static_cast<float>(lambda) : 0.0f;
      }
    }
  }
}

void TotalVariation::archive(Archive& archive) {
  constexpr const char* kNames[] = {"prior/dual_rows", "prior/dual_columns", "prior/dual_slices"};
  std::vector<float> copy(shape_.rows * shape_.values);
  const auto row_of = [&](int part, std::size_t i) {
    return sweep_.dual(part).row(static_cast<std::ptrdiff_t>(i));
  };
  for (int part = 0; part < shape_.parts(); ++part) {
    for (std::size_t i = 0; i < shape_.rows; ++i) {
      std::copy_n(row_of(part, i), shape_.values, copy.data() + i * shape_.values);
    }
    archive.values(kNames[part], std::span<float>(copy));
    for (std::size_t i = 0; i < shape_.rows; ++i) {
      std::copy_n(copy.data() + i * shape_.values, shape_.values, row_of(part, i));
    }
  }
}

}  // namespace firm
