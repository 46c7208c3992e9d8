#include "model/coupling.h"

#include <algorithm>

#include "core/parallel.h"
#include "firm/error.h"

namespace firm {
namespace {

constexpr std::size_t kPiecePixels = 1024;

std::size_t piece_count(std::size_t pixels) { return (pixels + kPiecePixels - 1) / kPiecePixels; }

double square(float x) { return static_cast<double>(x) * static_cast<double>(x); }

struct Pixels {
  std::size_t begin;
  std::size_t end;
};

Pixels piece_pixels(std::size_t piece, std::size_t pixels) {
  return {piece * kPiecePixels, std::min(pixels, (piece + 1) * kPiecePixels)};
}

// A number of variables that the compiler knows (one slice), or that it does not.
template <int kVariables>
struct Count {
  std::size_t given;
  std::size_t get() const { return kVariables > 0 ? std::size_t{kVariables} : given; }
};

// The loops below, for one slice. With a number of variables that is a constant, the compiler
// works on all of them at once.
template <int kVariables>
void step_pixels(Pixels at, Count<kVariables> count, const float* d, float step, const float* w,
                 float* g, float* s) {
  const std::size_t n = count.get();
  for (std::size_t p = at.begin; p < at.end; ++p) {
    float sum = 0;
    for (std::size_t v = 0; v < n; ++v) {
      const std::size_t k = p * n + v;
      g[k] = w[k] - step * g[k];
      sum += d[v] * g[k];
    }
    s[p] = sum;
  }
}

// The same for several slices, which lie next to each other.
void step_slices(Pixels at, std::size_t variables, std::size_t slices, const float* d, float step,
                 const float* w, float* g, float* s) {
  for (std::size_t p = at.begin; p < at.end; ++p) {
    float* sum = s + p * slices;
    std::fill_n(sum, slices, 0.0f);
    for (std::size_t v = 0; v < variables; ++v) {
      const std::size_t k = (p * variables + v) * slices;
#pragma GCC ivdep
      for (std::size_t z = 0; z < slices; ++z) {
        g[k + z] = w[k + z] - step * g[k + z];
        sum[z] += d[v] * g[k + z];
      }
    }
  }
}

template <int kVariables>
Coupling::Change correct_pixels(Pixels at, Count<kVariables> count, const float* d, float factor,
                                const float* v, const float* t, float* w) {
  const std::size_t n = count.get();
  constexpr std::size_t kLanes = kVariables > 0 ? kVariables : 1;
  float steps[kLanes] = {};
  float sizes[kLanes] = {};
  Coupling::Change change;
  for (std::size_t p = at.begin; p < at.end; ++p) {
    const float correction = factor * t[p];
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = p * n + i;
      const float moved = v[k] - d[i] * correction;
      const float next = moved > 0 ? moved : 0.0f;
      const float moved_by = next - w[k];
      w[k] = next;
      steps[i % kLanes] += moved_by * moved_by;
      sizes[i % kLanes] += next * next;
      sum += d[i] * next;
    }
    change.violation_squared += square(sum);
    change.last_squared += square(w[p * n + n - 1]);
  }
  for (const float part : steps) change.step_squared += static_cast<double>(part);
  for (const float part : sizes) change.size_squared += static_cast<double>(part);
  return change;
}

Coupling::Change correct_slices(Pixels at, std::size_t variables, std::size_t slices,
                                const float* d, float factor, const float* v, const float* t,
                                float* w) {
  constexpr std::size_t kTogether = 64;  // slices whose sums fit a small array
  Coupling::Change change;
  for (std::size_t p = at.begin; p < at.end; ++p) {
    for (std::size_t z0 = 0; z0 < slices; z0 += kTogether) {
      const std::size_t count = std::min(kTogether, slices - z0);
      const float* correction = t + p * slices + z0;
      float sums[kTogether] = {};
      float steps[kTogether] = {};
      float sizes[kTogether] = {};
      for (std::size_t i = 0; i < variables; ++i) {
        const std::size_t k = (p * variables + i) * slices + z0;
#pragma GCC ivdep
        for (std::size_t z = 0; z < count; ++z) {
          const float moved = v[k + z] - d[i] * (factor * correction[z]);
          const float next = moved > 0 ? moved : 0.0f;
          const float moved_by = next - w[k + z];
          w[k + z] = next;
          steps[z] += moved_by * moved_by;
          sizes[z] += next * next;
          sums[z] += d[i] * next;
        }
      }
      for (std::size_t z = 0; z < count; ++z) {
        change.violation_squared += square(sums[z]);
        change.step_squared += static_cast<double>(steps[z]);
        change.size_squared += static_cast<double>(sizes[z]);
        change.last_squared += square(w[(p * variables + variables - 1) * slices + z0 + z]);
      }
    }
  }
  return change;
}

std::vector<float> scaled_d(const Problem& problem, double scale) {
  std::vector<float> d;
  for (const Variable& v : problem.variables()) d.push_back(static_cast<float>(scale * v.d));
  return d;
}

}  // namespace

Coupling::Coupling(const Problem& problem, double scale)
    : variables_(problem.variables().size()),
      slices_(problem.slices()),
      threads_(problem.threads()),
      scale_(scale),
      d_(scaled_d(problem, scale)),
      partial_(piece_count(problem.pixels())) {}

void Coupling::combine(const Block& w, std::span<float> s) const {
  FIRM_CHECK(w.columns() == variables_ * slices_ && s.size() == w.rows() * slices_);
  parallel_for(piece_count(w.rows()), threads_, [&](std::size_t piece) {
    const Pixels at = piece_pixels(piece, w.rows());
    for (std::size_t p = at.begin; p < at.end; ++p) {
      for (std::size_t z = 0; z < slices_; ++z) {
        float sum = 0;
        for (std::size_t v = 0; v < variables_; ++v) sum += d_[v] * w(p, v * slices_ + z);
        s[p * slices_ + z] = sum;
      }
    }
  });
}

template <int kVariables>
void Coupling::gradient_step_of(const Block& w, float step, Block& g, float* s) const {
  parallel_for(partial_.size(), threads_, [&](std::size_t piece) {
    const Pixels at = piece_pixels(piece, w.rows());
    if (slices_ == 1) {
      step_pixels<kVariables>(at, {variables_}, d_.data(), step, w.data(), g.data(), s);
    } else {
      step_slices(at, variables_, slices_, d_.data(), step, w.data(), g.data(), s);
    }
  });
}

void Coupling::gradient_step(const Block& w, double step, Block& g, std::span<float> s) const {
  FIRM_CHECK(w.columns() == variables_ * slices_ && s.size() == w.rows() * slices_);
  const auto narrow = static_cast<float>(step);
  if (variables_ == 4) return gradient_step_of<4>(w, narrow, g, s.data());
  gradient_step_of<0>(w, narrow, g, s.data());
}

template <int kVariables>
Coupling::Change Coupling::correct_of(const Block& v, const float* t, float factor, Block& w) {
  parallel_for(partial_.size(), threads_, [&](std::size_t piece) {
    const Pixels at = piece_pixels(piece, w.rows());
    if (slices_ == 1) {
      partial_[piece] =
          correct_pixels<kVariables>(at, {variables_}, d_.data(), factor, v.data(), t, w.data());
    } else {
      partial_[piece] =
          correct_slices(at, variables_, slices_, d_.data(), factor, v.data(), t, w.data());
    }
  });
  Change all;
  for (const Change& part : partial_) {
    all.step_squared += part.step_squared;
    all.violation_squared += part.violation_squared;
    all.size_squared += part.size_squared;
    all.last_squared += part.last_squared;
  }
  all.violation_squared /= scale_ * scale_;
  return all;
}

Coupling::Change Coupling::correct(const Block& v, std::span<const float> t, double factor,
                                   Block& w) {
  FIRM_CHECK(w.columns() == variables_ * slices_ && t.size() == w.rows() * slices_);
  const auto narrow = static_cast<float>(factor);
  if (variables_ == 4) return correct_of<4>(v, t.data(), narrow, w);
  return correct_of<0>(v, t.data(), narrow, w);
}

}  // namespace firm
