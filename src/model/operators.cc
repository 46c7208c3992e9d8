#include "model/operators.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/timing.h"
#include "firm/error.h"
#include "firm/study.h"

namespace firm {
namespace {

// Images that share a matrix.
struct SameMatrix {
  ImageOperator matrix;
  std::vector<std::size_t> images;

  bool is(const ImageOperator& other) const {
    return matrix.projectors == other.projectors && same_rays(*matrix.geometry, *other.geometry);
  }
};

std::vector<SameMatrix> group_by_matrix(const std::vector<ImageOperator>& images) {
  std::vector<SameMatrix> groups;
  for (std::size_t k = 0; k < images.size(); ++k) {
    if (images[k].geometry == nullptr) continue;
    const auto known = std::find_if(groups.begin(), groups.end(),
                                    [&](const SameMatrix& group) { return group.is(images[k]); });
    if (known == groups.end()) {
      groups.push_back({images[k], {k}});
    } else {
      known->images.push_back(k);
    }
  }
  return groups;
}

}  // namespace

Operators::Operators(const std::vector<ImageOperator>& images, std::size_t slices, int threads,
                     const std::string& kernel)
    : images_(images.size()), slices_(slices), threads_(threads), kernel_(kernel) {
  for (SameMatrix& group : group_by_matrix(images)) {
    const std::size_t columns = group.images.size() * slices;
    const bool all = group.images.size() == images_;
    const Geometry& geometry = *group.matrix.geometry;
    const ProjectorFactory& factory = *group.matrix.projectors;
    auto projector = factory.make(geometry, {kernel, threads, static_cast<int>(columns)});
    groups_.push_back({std::move(group.images), &factory, std::move(projector),
                       all ? Block() : Block(geometry.pixels(), columns), Block(), Block()});
  }
}

std::string Operators::kernel() const {
  return groups_.empty() ? "none" : groups_.front().projector->kernel();
}

Sinograms Operators::make_sinograms() const {
  Sinograms all;
  for (const Group& group : groups_) {
    all.emplace_back(group.projector->geometry().rays(), group.images.size() * slices_);
  }
  return all;
}

std::size_t Operators::image_column(std::size_t group, std::size_t column) const {
  return groups_[group].images[column / slices_] * slices_ + column % slices_;
}

Operators::Place Operators::place(std::size_t image) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& images = groups_[g].images;
    const auto at = std::find(images.begin(), images.end(), image);
    if (at != images.end()) return {g, static_cast<std::size_t>(at - images.begin()) * slices_};
  }
  check_failed("the image has an operator", __FILE__, __LINE__);
}

void Operators::weigh(std::size_t image, const Block& weights) {
  const Place at = place(image);
  Group& group = groups_[at.group];
  const std::size_t rays = group.projector->geometry().rays();
  FIRM_CHECK(weights.rows() == rays && weights.columns() == slices_);
  if (group.roots.size() == 0) {
    group.roots = Block(rays, group.images.size() * slices_);
    group.weighted = group.roots;
    std::fill(group.roots.values().begin(), group.roots.values().end(), 1.0f);
  }
  for (std::size_t ray = 0; ray < rays; ++ray) {
    for (std::size_t z = 0; z < slices_; ++z) {
      group.roots(ray, at.first_column + z) = std::sqrt(weights(ray, z));
    }
  }
}

Block Operators::roots(std::size_t image) const {
  const Place at = place(image);
  const Block& all = groups_[at.group].roots;
  if (all.size() == 0) return {};
  Block one(all.rows(), slices_);
  for (std::size_t ray = 0; ray < one.rows(); ++ray) {
    for (std::size_t z = 0; z < slices_; ++z) one(ray, z) = all(ray, at.first_column + z);
  }
  return one;
}

void Operators::multiply_roots(const Group& group, const Block& from, Block& to) const {
  const std::size_t columns = from.columns();
  parallel_rows(from.rows(), threads_, [&](std::size_t row) {
    for (std::size_t k = row * columns; k < (row + 1) * columns; ++k) {
      to.data()[k] = group.roots.data()[k] * from.data()[k];
    }
  });
}

void Operators::put(const Block& one, std::size_t image, Sinograms& all) const {
  const Place at = place(image);
  Block& to = all[at.group];
  FIRM_CHECK(one.rows() == to.rows() && one.columns() == slices_);
  for (std::size_t row = 0; row < one.rows(); ++row) {
    for (std::size_t z = 0; z < slices_; ++z) to(row, at.first_column + z) = one(row, z);
  }
}

void Operators::get(const Sinograms& all, std::size_t image, Block& one) const {
  const Place at = place(image);
  const Block& from = all[at.group];
  FIRM_CHECK(one.rows() == from.rows() && one.columns() == slices_);
  for (std::size_t row = 0; row < one.rows(); ++row) {
    for (std::size_t z = 0; z < slices_; ++z) one(row, z) = from(row, at.first_column + z);
  }
}

void Operators::gather(const Block& w, Group& group) {
  parallel_rows(w.rows(), threads_, [&](std::size_t row) {
    const float* from = w.data() + row * w.columns();
    float* to = group.columns.data() + row * group.columns.columns();
    for (const std::size_t image : group.images) {
      to = std::copy_n(from + image * slices_, slices_, to);
    }
  });
}

void Operators::scatter(const Group& group, Block& x) {
  parallel_rows(x.rows(), threads_, [&](std::size_t row) {
    const float* from = group.columns.data() + row * group.columns.columns();
    float* to = x.data() + row * x.columns();
    for (const std::size_t image : group.images) {
      std::copy_n(from, slices_, to + image * slices_);
      from += slices_;
    }
  });
}

void Operators::forward(const Block& w, Sinograms& y) {
  FIRM_CHECK(w.columns() == images_ * slices_);
  const Timed timed(seconds_);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (group.columns.size() == 0) {
      group.projector->forward(w, y[g]);
    } else {
      gather(w, group);
      group.projector->forward(group.columns, y[g]);
    }
    if (group.roots.size() > 0) multiply_roots(group, y[g], y[g]);
  }
}

void Operators::adjoint(const Sinograms& y, Block& x) {
  FIRM_CHECK(x.columns() == images_ * slices_);
  const Timed timed(seconds_);
  std::size_t covered = 0;
  for (const Group& group : groups_) covered += group.images.size();
  if (covered < images_) std::fill(x.values().begin(), x.values().end(), 0.0f);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const bool weighted = group.roots.size() > 0;
    if (weighted) multiply_roots(group, y[g], group.weighted);
    const Block& rows = weighted ? group.weighted : y[g];
    if (group.columns.size() == 0) {
      group.projector->adjoint(rows, x);
    } else {
      group.projector->adjoint(rows, group.columns);
      scatter(group, x);
    }
  }
}

void Operators::measure_norms() {
  lambda_max_.assign(images_ * slices_, 0.0);
  curvature_.clear();
  for (const Group& group : groups_) {
    const Geometry& geometry = group.projector->geometry();
    const ProjectorOptions options{.kernel = kernel_, .threads = threads_};
    const Block& curvature = curvature_.emplace_back(group.factory->curvature(geometry, options));
    const double same = curvature.size() == 0 ? group.factory->lambda_max(geometry, options) : 0;
    std::vector<double> largest(slices_, same);
    for (std::size_t p = 0; p < curvature.rows(); ++p) {
      for (std::size_t z = 0; z < slices_; ++z) {
        largest[z] = std::max(largest[z], static_cast<double>(curvature(p, z)));
      }
    }
    for (const std::size_t image : group.images) {
      std::ranges::copy(largest,
                        lambda_max_.begin() + static_cast<std::ptrdiff_t>(image * slices_));
    }
  }
}

const std::vector<double>& Operators::lambda_max() {
  if (lambda_max_.empty()) measure_norms();
  return lambda_max_;
}

const Block& Operators::curvature(std::size_t image) {
  if (lambda_max_.empty()) measure_norms();
  static const Block kNone;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (std::ranges::find(groups_[g].images, image) != groups_[g].images.end())
      return curvature_[g];
  }
  return kNone;
}

}  // namespace firm
