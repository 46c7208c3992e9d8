#include "csr.h"

#include "core/parallel.h"
#include "tomo/siddon.h"

namespace firm {
namespace {

struct Entry {
  std::int32_t column;
  float value;
};

Csr assemble(const std::vector<std::vector<Entry>>& rows) {
  Csr m;
  m.start.push_back(0);
  for (const auto& row : rows) m.start.push_back(m.start.back() + row.size());
  m.column.reserve(m.start.back());
  m.value.reserve(m.start.back());
  for (const auto& row : rows) {
    for (const Entry& e : row) {
      m.column.push_back(e.column);
      m.value.push_back(e.value);
    }
  }
  return m;
}

Csr transpose(const Csr& a, std::size_t columns) {
  Csr t;
  t.start.assign(columns + 1, 0);
  for (const std::int32_t c : a.column) ++t.start[static_cast<std::size_t>(c) + 1];
  for (std::size_t k = 0; k < columns; ++k) t.start[k + 1] += t.start[k];
  t.column.resize(a.column.size());
  t.value.resize(a.value.size());
  std::vector<std::size_t> next(t.start.begin(), t.start.end() - 1);
  for (std::size_t row = 0; row < a.rows(); ++row) {
    for (std::size_t k = a.start[row]; k < a.start[row + 1]; ++k) {
      const std::size_t at = next[static_cast<std::size_t>(a.column[k])]++;
      t.column[at] = static_cast<std::int32_t>(row);
      t.value[at] = a.value[k];
    }
  }
  return t;
}

}  // namespace

void Csr::multiply(const Block& x, Block& y, int threads) const {
  parallel_rows(rows(), threads, [&](std::size_t row) {
    float sum = 0;
    for (std::size_t k = start[row]; k < start[row + 1]; ++k) {
      sum += value[k] * x.data()[column[k]];
    }
    y.data()[row] = sum;
  });
}

CsrPair make_csr(const Geometry& g) {
  std::vector<std::vector<Entry>> rows(g.rays());
  parallel_for(g.angles.size(), thread_count(0), [&](std::size_t angle) {
    for (int j = 0; j < g.beamlets; ++j) {
      auto& row = rows[angle * static_cast<std::size_t>(g.beamlets) + static_cast<std::size_t>(j)];
      trace_ray(g, angle, j, [&](std::size_t pixel, double length) {
        row.push_back({static_cast<std::int32_t>(pixel), static_cast<float>(length)});
      });
    }
  });
  CsrPair pair;
  pair.forward = assemble(rows);
  pair.adjoint = transpose(pair.forward, g.pixels());
  return pair;
}

}  // namespace firm
