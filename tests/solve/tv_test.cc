// TotalVariation: the kernels against plain loops, the proximal step against a dense optimum.
#include "solve/priors/tv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "solve/memory_archive.h"
#include "solve/tv_reference.h"

namespace firm {
namespace {

Block random_images(std::size_t pixels, std::size_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-0.3f, 1.0f);
  Block w(pixels, columns);
  for (float& value : w.values()) value = uniform(random);
  return w;
}

TvOptions options_for(const TvGrid& grid, std::size_t variables, double lambda) {
  TvOptions o;
  o.image_rows = static_cast<int>(grid.rows);
  o.image_columns = static_cast<int>(grid.columns);
  o.slices = grid.slices;
  o.lambda.assign(variables * grid.slices, lambda);
  o.slice_scale = grid.slice_scale;
  o.threads = 1;
  return o;
}

bool same_bytes(const Block& a, const Block& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// sum_z ||x_z - v_z||^2 / (2 step_z) + lambda TV(x).
double prox_objective(const TvGrid& grid, const Vector& x, const Vector& v, double lambda,
                      double step) {
  return (x - v).squaredNorm() / (2 * step) + lambda * tv_value(grid, x);
}

Vector dense_prox(const TvGrid& grid, const Vector& v, double lambda, double step) {
  const Eigen::Index n = v.size();
  return dense_tv_optimum(Matrix::Identity(n, n) / step, v / step, tv_matrix(grid),
                          Vector::Constant(n, lambda));
}

// Three proximal steps in a row, with other images, strengths and step lengths each time.
void compare_with_reference(const TvGrid& grid, std::size_t variables, const TvKernel& kernel) {
  SCOPED_TRACE(testing::Message() << kernel.name << ": " << grid.rows << " x " << grid.columns
                                  << ", " << variables << " variables, " << grid.slices
                                  << " slices, scale " << grid.slice_scale);
  TvOptions options = options_for(grid, variables, 1);
  options.kernel = kernel.name;
  options.threads = 2;
  TotalVariation tv(options);
  std::vector<TvReference> references(variables, TvReference(grid));
  std::vector<double> lambda(options.lambda.size());
  std::vector<double> steps(options.lambda.size());
  for (unsigned call = 0; call < 3; ++call) {
    const int inner = call == 1 ? 19 : 4;
    for (std::size_t c = 0; c < lambda.size(); ++c) {
      lambda[c] = 0.2 + 0.1 * static_cast<double>(c / grid.slices % 3);
      steps[c] = 0.5 + 0.2 * call;
    }
    tv.set_inner(inner);
    tv.set_lambda(lambda);
    const Block v = random_images(grid.pixels(), lambda.size(), call);
    Block w = v;
    tv.proximal_step(steps, w);
    std::vector<double> values(lambda.size(), 1.0);
    std::vector<double> products(lambda.size(), 2.0);
    tv.add_values(w, values);
    tv.add_dual_products(w, products);
    Block adjoint(w.rows(), w.columns());
    tv.add_adjoint(adjoint);
    for (std::size_t k = 0; k < variables; ++k) {
      const double strength = lambda[k * grid.slices];
      const std::vector<double> own(grid.slices, steps[k * grid.slices]);
      const Vector x = references[k].proximal_step(tv_variable(grid, v, k), strength, own, inner);
      const Vector found = tv_variable(grid, w, k);
      ASSERT_LT((found - x).cwiseAbs().maxCoeff(), 1e-5);
      const std::vector<double> expected = tv_slice_values(grid, found);
      for (std::size_t z = 0; z < grid.slices; ++z) {
        const std::size_t c = k * grid.slices + z;
        ASSERT_NEAR(values[c], 1 + strength * expected[z], 1e-5 * (1 + expected[z]));
        ASSERT_LE(products[c], 2 + strength * expected[z] * (1 + 1e-5) + 1e-6);
      }
      const Vector back = strength * tv_adjoint(grid, references[k].p);
      ASSERT_LT((tv_variable(grid, adjoint, k) - back).cwiseAbs().maxCoeff(), 1e-4);
      double product = 0;
      for (std::size_t z = 0; z < grid.slices; ++z) product += products[k * grid.slices + z] - 2;
      ASSERT_NEAR(product, tv_variable(grid, adjoint, k).dot(found), 1e-4 * (1 + found.sum()));
    }
  }
}

TEST(TotalVariationKernel, AgreesWithReference) {
  for (const TvKernel& kernel : tv_kernels()) {
    for (const TvGrid grid : {TvGrid{1, 1}, TvGrid{1, 7}, TvGrid{9, 1}, TvGrid{5, 6}, TvGrid{2, 33},
                              TvGrid{67, 5}, TvGrid{24, 17, 3}, TvGrid{3, 2, 40}}) {
      for (const std::size_t variables : {1, 3, 4}) compare_with_reference(grid, variables, kernel);
    }
    for (const std::size_t columns : {2, 5, 8, 13, 16, 23, 40}) {
      compare_with_reference({6, 5}, columns, kernel);
    }
  }
}

TEST(TotalVariationKernel, AgreesWithReferenceBetweenSlices) {
  for (const TvKernel& kernel : tv_kernels()) {
    for (const TvGrid grid : {TvGrid{1, 1, 6, 1}, TvGrid{5, 4, 1, 1}, TvGrid{4, 5, 2, 0.5},
                              TvGrid{40, 3, 5, 2}, TvGrid{6, 7, 17, 1}}) {
      for (const std::size_t variables : {1, 3}) compare_with_reference(grid, variables, kernel);
    }
  }
}

TEST(TotalVariationKernel, IsFoundByName) {
  EXPECT_STREQ(tv_kernel("strip-scalar").name, "strip-scalar");
  EXPECT_THROW(tv_kernel("abacus"), std::logic_error);
}

TEST(TotalVariation, ReachesDenseOptimum) {
  for (const TvGrid grid : {TvGrid{6, 5}, TvGrid{4, 3, 3, 0.7}}) {
    TvOptions options = options_for(grid, 1, 0.4);
    options.inner = 2000;
    TotalVariation tv(options);
    Block w = random_images(grid.pixels(), grid.slices, 7);
    const Vector v = tv_variable(grid, w, 0);
    tv.proximal_step(std::vector<double>(grid.slices, 0.6), w);
    const Vector expected = dense_prox(grid, v, 0.4, 0.6);
    EXPECT_GT(expected.maxCoeff(), 0.1);
    EXPECT_LT((tv_variable(grid, w, 0) - expected).cwiseAbs().maxCoeff(), 2e-5);
    // No gap between R(w) and <lambda p, G w>.
    std::vector<double> values(grid.slices, 0.0);
    std::vector<double> products(grid.slices, 0.0);
    tv.add_values(w, values);
    tv.add_dual_products(w, products);
    for (std::size_t z = 0; z < grid.slices; ++z) EXPECT_NEAR(values[z], products[z], 1e-4);
  }
}

// Distance to the optimum after a number of inner steps.
TEST(TotalVariation, ConvergesWithInnerSteps) {
  const TvGrid grid{6, 5};
  const Block v = random_images(grid.pixels(), 1, 3);
  const Vector x = tv_variable(grid, v, 0);
  const double best = prox_objective(grid, dense_prox(grid, x, 0.5, 1), x, 0.5, 1);
  double before = std::numeric_limits<double>::infinity();
  for (const int inner : {1, 4, 16, 64, 256}) {
    TvOptions options = options_for(grid, 1, 0.5);
    options.inner = inner;
    TotalVariation tv(options);
    Block w = v;
    tv.proximal_step(std::vector<double>{1}, w);
    const double gap = prox_objective(grid, tv_variable(grid, w, 0), x, 0.5, 1) - best;
    EXPECT_GT(gap, -1e-6);
    EXPECT_LT(gap, std::max(0.5 * before, 2e-6)) << inner;
    before = gap;
  }
}

TEST(TotalVariation, StartsFromLastDual) {
  const TvGrid grid{16, 16};
  TvOptions options = options_for(grid, 1, 0.5);
  options.inner = 5;
  TotalVariation tv(options);
  const Block v = random_images(grid.pixels(), 1, 4);
  const Vector x = tv_variable(grid, v, 0);
  std::vector<double> objectives;
  for (int call = 0; call < 4; ++call) {
    Block w = v;
    tv.proximal_step(std::vector<double>{1}, w);
    objectives.push_back(prox_objective(grid, tv_variable(grid, w, 0), x, 0.5, 1));
  }
  EXPECT_LT(objectives[1], objectives[0] - 1e-2);
  EXPECT_LT(objectives[3], objectives[1] - 1e-4);
}

TEST(TotalVariation, KeepsConstantImage) {
  const TvGrid grid{9, 8};
  TotalVariation tv(options_for(grid, 3, 2.0));
  Block w(grid.pixels(), 3);
  for (std::size_t p = 0; p < w.rows(); ++p) {
    w(p, 0) = 0.7f;
    w(p, 1) = 0;
    w(p, 2) = -1;
  }
  tv.proximal_step(std::vector<double>(3, 1.0), w);
  std::vector<double> values(3, 0.0);
  tv.add_values(w, values);
  for (std::size_t p = 0; p < w.rows(); ++p) {
    EXPECT_EQ(w(p, 0), 0.7f);
    EXPECT_EQ(w(p, 1), 0);
    EXPECT_EQ(w(p, 2), 0);
  }
  EXPECT_EQ(values, std::vector<double>(3, 0.0));
}

TEST(TotalVariation, ClipsWithoutStrength) {
  const TvGrid grid{7, 6};
  TvOptions options = options_for(grid, 3, 1.0);
  options.lambda[1] = 0;
  TotalVariation tv(options);
  const Block v = random_images(grid.pixels(), 3, 5);
  Block w = v;
  tv.proximal_step(std::vector<double>(3, 1.0), w);
  std::size_t changed = 0;
  for (std::size_t p = 0; p < w.rows(); ++p) {
    EXPECT_EQ(w(p, 1), std::max(v(p, 1), 0.0f));
    changed += w(p, 0) != std::max(v(p, 0), 0.0f) ? 1 : 0;
  }
  EXPECT_GT(changed, 10u);
}

// A very weak prior changes nothing, however large its inverse.
TEST(TotalVariation, ToleratesTinyStrength) {
  const TvGrid grid{7, 6};
  for (const double lambda : {1e-300, 1e-38, 1e-25, 1e-12}) {
    TotalVariation tv(options_for(grid, 1, lambda));
    const Block v = random_images(grid.pixels(), 1, 5);
    Block w = v;
    tv.proximal_step(std::vector<double>{1}, w);
    for (std::size_t p = 0; p < w.rows(); ++p) {
      EXPECT_NEAR(w(p, 0), std::max(v(p, 0), 0.0f), 1e-7) << lambda;
    }
  }
}

TEST(TotalVariation, LeavesColumnsWithoutStep) {
  const TvGrid grid{7, 6};
  TotalVariation tv(options_for(grid, 2, 0.5));
  Block w = random_images(grid.pixels(), 2, 6);
  tv.proximal_step(std::vector<double>{1, 1}, w);
  MemoryArchive before;
  tv.archive(before);
  const Block v = random_images(grid.pixels(), 2, 8);
  w = v;
  tv.proximal_step(std::vector<double>{1, 0}, w);
  MemoryArchive after;
  tv.archive(after);
  bool moved = false;
  for (std::size_t p = 0; p < w.rows(); ++p) {
    EXPECT_EQ(w(p, 1), v(p, 1));
    for (const auto& [name, dual] : before.floats) {
      EXPECT_EQ(after.floats.at(name)[2 * p + 1], dual[2 * p + 1]) << name;
      moved = moved || after.floats.at(name)[2 * p] != dual[2 * p];
    }
  }
  EXPECT_TRUE(moved);
}

// Slices with a step of their own: the optimum in which each slice has its own weight.
TEST(TotalVariation, HoldsSlicesBesideOthers) {
  const TvGrid grid{4, 3, 4, 1};
  TvOptions options = options_for(grid, 1, 0.3);
  options.inner = 3000;
  TotalVariation tv(options);
  Block w = random_images(grid.pixels(), 4, 9);
  for (std::size_t p = 0; p < w.rows(); ++p) w(p, 1) = std::abs(w(p, 1));
  const Vector v = tv_variable(grid, w, 0);
  tv.proximal_step(std::vector<double>{0.5, 0, 1, 1}, w);
  // A held slice is one with a very small step.
  Matrix h = Matrix::Identity(v.size(), v.size());
  for (Eigen::Index k = 0; k < v.size(); ++k) {
    const double steps[] = {0.5, 1e-3, 1, 1};
    h(k, k) = 1 / steps[k % 4];
  }
  const Vector expected =
      dense_tv_optimum(h, h * v, tv_matrix(grid), Vector::Constant(v.size(), 0.3), 20000);
  EXPECT_LT((tv_variable(grid, w, 0) - expected).cwiseAbs().maxCoeff(), 2e-3);
  for (std::size_t p = 0; p < w.rows(); ++p) {
    EXPECT_EQ(w(p, 1), static_cast<float>(v[eigen_index(4 * p + 1)]));
  }
}

TEST(TotalVariation, GivesSameBytesWithAnyThreads) {
  for (const TvGrid grid : {TvGrid{203, 9, 2}, TvGrid{75, 7, 3, 0.5}, TvGrid{5, 40}}) {
    std::vector<Block> results;
    std::vector<std::vector<double>> all_values;
    for (const int threads : {1, 2, 3, 7, 16}) {
      TvOptions options = options_for(grid, 3, 0.3);
      options.threads = threads;
      TotalVariation tv(options);
      Block w = random_images(grid.pixels(), options.lambda.size(), 11);
      for (const int inner : {1, 37, 10}) {
        tv.set_inner(inner);
        tv.proximal_step(std::vector<double>(options.lambda.size(), 0.5), w);
      }
      std::vector<double> values(options.lambda.size(), 0.0);
      tv.add_values(w, values);
      tv.add_dual_products(w, values);
      tv.add_adjoint(w);
      results.push_back(w);
      all_values.push_back(values);
    }
    for (std::size_t k = 1; k < results.size(); ++k) {
      EXPECT_TRUE(same_bytes(results[0], results[k])) << grid.rows << " " << k;
      EXPECT_EQ(all_values[0], all_values[k]) << grid.rows << " " << k;
    }
  }
}

// So that slices solved in other processes, beside fewer columns, have the same bytes.
TEST(TotalVariation, ColumnDoesNotDependOnOthers) {
  const TvGrid grid{21, 19};
  const Block many = random_images(grid.pixels(), 11, 12);
  TotalVariation all(options_for(grid, 11, 0.3));
  TotalVariation alone(options_for(grid, 1, 0.3));
  Block w = many;
  Block one(grid.pixels(), 1);
  for (std::size_t p = 0; p < w.rows(); ++p) one(p, 0) = many(p, 6);
  all.proximal_step(std::vector<double>(11, 0.5), w);
  alone.proximal_step(std::vector<double>{0.5}, one);
  for (std::size_t p = 0; p < w.rows(); ++p) ASSERT_EQ(one(p, 0), w(p, 6)) << p;
  std::vector<double> values(11, 0.0);
  std::vector<double> value(1, 0.0);
  all.add_values(w, values);
  alone.add_values(one, value);
  EXPECT_EQ(value[0], values[6]);
}

TEST(TotalVariation, ResumesFromArchive) {
  for (const TvGrid grid : {TvGrid{13, 8, 2}, TvGrid{13, 8, 2, 1}}) {
    TotalVariation tv(options_for(grid, 2, 0.3));
    TotalVariation other(options_for(grid, 2, 0.3));
    const std::vector<double> steps(4, 0.5);
    Block w = random_images(grid.pixels(), 4, 13);
    tv.set_inner(3);  // the dual is in the other of two buffers than after 4 steps
    tv.proximal_step(steps, w);
    MemoryArchive state;
    tv.archive(state);
    state.load();
    Block scratch = random_images(grid.pixels(), 4, 14);
    other.set_inner(4);
    other.proximal_step(steps, scratch);
    other.archive(state);
    Block a = w;
    Block b = w;
    tv.set_inner(6);
    other.set_inner(6);
    tv.proximal_step(steps, a);
    other.proximal_step(steps, b);
    EXPECT_TRUE(same_bytes(a, b));
    EXPECT_FALSE(same_bytes(a, w));
  }
}

TEST(TotalVariation, RejectsBadOptions) {
  const TvGrid grid{4, 3, 2};
  const auto rejects = [&](const auto& change) {
    TvOptions options = options_for(grid, 2, 1);
    change(options);
    EXPECT_THROW(TotalVariation{options}, std::logic_error);
  };
  rejects([](TvOptions& o) { o.lambda[1] = -1; });
  rejects([](TvOptions& o) { o.lambda[2] = std::nan(""); });
  rejects([](TvOptions& o) { o.lambda[0] = std::numeric_limits<double>::infinity(); });
  rejects([](TvOptions& o) { o.lambda.pop_back(); });
  rejects([](TvOptions& o) { o.lambda.clear(); });
  rejects([](TvOptions& o) { o.inner = 0; });
  rejects([](TvOptions& o) { o.image_rows = 0; });
  rejects([](TvOptions& o) { o.slice_scale = -1; });
  rejects([](TvOptions& o) {
    o.slice_scale = 1;
    o.lambda[1] = 2;  // slices of one problem
  });
  TotalVariation tv(options_for(grid, 2, 1));
  EXPECT_THROW(tv.set_lambda({1, 1, 1, -1}), std::logic_error);
  EXPECT_THROW(tv.set_lambda({1}), std::logic_error);
  EXPECT_THROW(tv.set_inner(0), std::logic_error);
  Block w(grid.pixels(), 4);
  EXPECT_THROW(tv.proximal_step(std::vector<double>{1, 1, 1}, w), std::logic_error);
  EXPECT_THROW(tv.proximal_step(std::vector<double>{1, 1, 1, std::nan("")}, w), std::logic_error);
  Block small(grid.pixels() - 1, 4);
  EXPECT_THROW(tv.proximal_step(std::vector<double>(4, 1.0), small), std::logic_error);
}

}  // namespace
}  // namespace firm
