#include "model/coupling.h"

#include <algorithm>
#include <cstring>

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

// Input of a pass: constants of the coupling, and the images.
struct StepJob {
  const float* d;
  const float* square;
  float step;
  const float* w;
  const float* g;
  float* s;
};

// Special case of four variables and one slice, the paper's study: the variables of a pixel are one
// vector. (Left to the compiler, the clipping becomes a branch that is mispredicted all over the
// image.)
using Four = float __attribute__((vector_size(16)));

Four load(const float* from) {
  Four values;
  std::memcpy(&values, from, sizeof(values));
  return values;
}

void store(const Four& values, float* to) { std::memcpy(to, &values, sizeof(values)); }

float add_up(const Four& v) { return (v[0] + v[2]) + (v[1] + v[3]); }

// add_up of four vectors, as one vector.
Four add_up(const Four (&v)[4]) {
  const auto halves = [](const Four& x, const Four& y) {
    return __builtin_shufflevector(x, y, 0, 4, 1, 5) + __builtin_shufflevector(x, y, 2, 6, 3, 7);
  };
  const Four a = halves(v[0], v[1]);
  const Four b = halves(v[2], v[3]);
  return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

void step_four(Pixels at, const StepJob& job) {
  const Four d = load(job.d);
  const Four step = job.step * load(job.square);
  const auto move = [&](std::size_t p) {
    return d * (load(job.w + 4 * p) - step * load(job.g + 4 * p));
  };
  std::size_t p = at.begin;
  for (; p + 4 <= at.end; p += 4) {
    const Four products[4] = {move(p), move(p + 1), move(p + 2), move(p + 3)};
    store(add_up(products), job.s + p);
  }
  for (; p < at.end; ++p) job.s[p] = add_up(move(p));
}

// General case: any number of variables, and of slices, which are adjacent in memory.
void step_slices(Pixels at, std::size_t variables, std::size_t slices, const StepJob& job) {
  for (std::size_t p = at.begin; p < at.end; ++p) {
    float* sum = job.s + p * slices;
    std::fill_n(sum, slices, 0.0f);
    for (std::size_t v = 0; v < variables; ++v) {
      const float step = job.step * job.square[v];
      const float d = job.d[v];
      const float* w = job.w + (p * variables + v) * slices;
      const float* g = job.g + (p * variables + v) * slices;
#pragma GCC ivdep
      for (std::size_t z = 0; z < slices; ++z) sum[z] += d * (w[z] - step * g[z]);
    }
  }
}

struct CorrectJob {
  const float* d;
  const float* square;
  const float* pull;
  float step;
  float factor;
  const float* g;
  const float* t;
  float* w;
  double* steps;  // of each variable
  double* sizes;
};

double correct_four(Pixels at, const CorrectJob& job) {
  const Four d = load(job.d);
  const Four step = job.step * load(job.square);
  const Four pull = job.factor * load(job.pull);
  const Four zero = {};
  Four steps = {};
  Four sizes = {};
  Four violations = {};
  const auto move = [&](std::size_t p) {
    const Four w = load(job.w + 4 * p);
    const Four moved = w - step * load(job.g + 4 * p) - pull * job.t[p];
    const Four next = moved > zero ? moved : zero;
    const Four change = next - w;
    store(next, job.w + 4 * p);
    steps += change * change;
    sizes += next * next;
    return d * next;
  };
  std::size_t p = at.begin;
  for (; p + 4 <= at.end; p += 4) {
    const Four products[4] = {move(p), move(p + 1), move(p + 2), move(p + 3)};
    const Four sums = add_up(products);
    violations += sums * sums;
  }
  double violation = static_cast<double>(add_up(violations));
  for (; p < at.end; ++p) violation += square(add_up(move(p)));
  for (int i = 0; i < 4; ++i) {
    job.steps[i] += static_cast<double>(steps[i]);
    job.sizes[i] += static_cast<double>(sizes[i]);
  }
  return violation;
}

double correct_slices(Pixels at, std::size_t variables, std::size_t slices, const CorrectJob& job) {
  constexpr std::size_t kTogether = 64;  // slices whose sums fit a small array
  double violation = 0;
  for (std::size_t p = at.begin; p < at.end; ++p) {
    for (std::size_t z0 = 0; z0 < slices; z0 += kTogether) {
      const std::size_t count = std::min(kTogether, slices - z0);
      const float* t = job.t + p * slices + z0;
      float sums[kTogether] = {};
      for (std::size_t i = 0; i < variables; ++i) {
        const std::size_t k = (p * variables + i) * slices + z0;
        const float pull = job.pull[i] * job.factor;
        const float rate = job.step * job.square[i];
        const float d = job.d[i];
        const float* g = job.g + k;
        float* w = job.w + k;
        float step = 0;
        float size = 0;
        for (std::size_t z = 0; z < count; ++z) {
          const float moved = w[z] - rate * g[z] - pull * t[z];
          const float next = moved > 0 ? moved : 0.0f;
          const float change = next - w[z];
          w[z] = next;
          step += change * change;
          size += next * next;
          sums[z] += d * next;
        }
        job.steps[i] += static_cast<double>(step);
        job.sizes[i] += static_cast<double>(size);
      }
      for (std::size_t z = 0; z < count; ++z) violation += square(sums[z]);
    }
  }
  return violation;
}

template <typename Value>
std::vector<float> of_each(const Problem& problem, const Value& value) {
  std::vector<float> values;
  for (const Variable& v : problem.variables()) values.push_back(static_cast<float>(value(v)));
  return values;
}

// Returns 1 / s^2 for each variable; `other`, which has no noise of its own, counts like XRT.
std::vector<double> weights(const Problem& problem) {
  std::vector<double> values;
  for (const Variable& v : problem.variables()) values.push_back(v.measured ? v.weight : 1);
  return values;
}

}  // namespace

Coupling::Coupling(const Problem& problem)
    : variables_(problem.variables().size()),
      slices_(problem.slices()),
      threads_(problem.threads()),
      weight_(weights(problem)),
      d_(of_each(problem, [](const Variable& v) { return v.d; })),
      square_(of_each(problem, [](const Variable& v) { return v.measured ? 1 / v.weight : 1; })),
      pull_(of_each(problem, [](const Variable& v) { return v.measured ? v.d / v.weight : v.d; })),
      violation_(piece_count(problem.pixels())),
      steps_(violation_.size() * variables_),
      sizes_(violation_.size() * variables_) {}

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

void Coupling::combine_step(const Block& w, double step, const Block& g, std::span<float> s) const {
  FIRM_CHECK(w.columns() == variables_ * slices_ && s.size() == w.rows() * slices_);
  const StepJob job{d_.data(), square_.data(), static_cast<float>(step),
                    w.data(),  g.data(),       s.data()};
  const auto task = [&](std::size_t piece) {
    const Pixels at = piece_pixels(piece, w.rows());
    if (slices_ == 1 && variables_ == 4) {
      step_four(at, job);
    } else {
      step_slices(at, variables_, slices_, job);
    }
  };
  parallel_for(violation_.size(), threads_, task, Handout::kRanges);
}

Coupling::Change Coupling::add_up() const {
  Change all;
  for (std::size_t piece = 0; piece < violation_.size(); ++piece) {
    for (std::size_t v = 0; v < variables_; ++v) {
      const double step = steps_[piece * variables_ + v];
      const double size = sizes_[piece * variables_ + v];
      all.step_squared += weight_[v] * step;
      all.mapping_squared += weight_[v] * weight_[v] * step;
      all.size_squared += weight_[v] * size;
      if (v + 1 == variables_) all.last_squared += size;
    }
    all.violation_squared += violation_[piece];
  }
  return all;
}

Coupling::Change Coupling::correct(double step, const Block& g, double factor,
                                   std::span<const float> t, Block& w) {
  FIRM_CHECK(w.columns() == variables_ * slices_ && t.size() == w.rows() * slices_);
  std::fill(steps_.begin(), steps_.end(), 0.0);
  std::fill(sizes_.begin(), sizes_.end(), 0.0);
  const auto task = [&](std::size_t piece) {
    const Pixels at = piece_pixels(piece, w.rows());
    const CorrectJob job{d_.data(),
                         square_.data(),
                         pull_.data(),
                         static_cast<float>(step),
                         static_cast<float>(factor),
                         g.data(),
                         t.data(),
                         w.data(),
                         steps_.data() + piece * variables_,
                         sizes_.data() + piece * variables_};
    violation_[piece] = slices_ == 1 && variables_ == 4
                            ? correct_four(at, job)
                            : correct_slices(at, variables_, slices_, job);
  };
  parallel_for(violation_.size(), threads_, task, Handout::kRanges);
  return add_up();
}

}  // namespace firm
