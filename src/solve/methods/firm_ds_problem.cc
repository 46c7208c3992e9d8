// The problem of a round of firm-ds: members, their operators, terms, steps and targets.
#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "solve/methods/firm_ds.h"

namespace firm {
namespace {

// Returns sum_i c_i s_i over all members of the study, hosted or not.
double tau_total(const Study& study) {
  double sum = study.other ? 1 / std::sqrt(study.weight(study.sites.size() - 1)) : 0;
  for (std::size_t i = 0; i + 1 < study.sites.size(); ++i) {
    sum += study.sites[i].coefficient / std::sqrt(study.weight(i));
  }
  return sum;
}

}  // namespace

std::vector<FirmDs::Member> FirmDs::make_members() const {
  const double total = tau_total(problem_.study());
  std::vector<Member> members;
  for (std::size_t v = 0; v < problem_.variables().size(); ++v) {
    const Variable& variable = problem_.variables()[v];
    if (variable.transmission) continue;
    const double c = -variable.d;
    const double sigma = 1 / std::sqrt(variable.measured ? variable.weight : xrt_weight_);
    // A site that is not coupled takes no share of the coupling: any tau will do.
    members.push_back({v, c, c > 0 ? c * sigma / total : 1, variable.weight});
  }
  return members;
}

// Returns the column among the problem's images of each column of the members.
std::vector<std::size_t> FirmDs::member_columns() const {
  std::vector<std::size_t> columns;
  for (const Member& m : members_) {
    for (std::size_t z = 0; z < problem_.slices(); ++z) {
      columns.push_back(m.variable * problem_.slices() + z);
    }
  }
  return columns;
}

std::vector<std::size_t> FirmDs::variables_with(bool data) const {
  std::vector<std::size_t> variables;
  for (const Member& m : members_) {
    if (problem_.variables()[m.variable].measured == data) variables.push_back(m.variable);
  }
  return variables;
}

std::vector<ImageOperator> FirmDs::own_matrices() const {
  std::vector<ImageOperator> matrices;
  for (const Member& m : members_) matrices.push_back(problem_.variables()[m.variable].matrix());
  return matrices;
}

// Returns A_N for each member.
std::vector<ImageOperator> FirmDs::shared_matrices() const {
  return std::vector<ImageOperator>(members_.size(), &problem_.study().xrt().geometry);
}

bool FirmDs::plain_matrices() const {
  return std::ranges::all_of(members_, [&](const Member& m) {
    return problem_.variables()[m.variable].projectors == &plain_projectors();
  });
}

bool FirmDs::own_weights() const {
  return std::ranges::any_of(members_, [&](const Member& m) {
    return problem_.variables()[m.variable].measured &&
           problem_.operators().roots(m.variable).size() > 0;
  });
}

void FirmDs::weigh_own_operators() {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (!problem_.variables()[members_[k].variable].measured) continue;
    Block weights = problem_.operators().roots(members_[k].variable);
    for (float& weight : weights.values()) weight *= weight;
    if (weights.size() > 0) own_.weigh(k, weights);
  }
}

std::vector<double> FirmDs::shared_alpha() const {
  std::vector<double> alpha;
  for (const Member& m : members_) {
    const double coupling = m.c * m.c / m.tau * coupling_weight_;
    alpha.insert(alpha.end(), problem_.slices(), coupling + (fused_ ? m.weight : 0));
  }
  return alpha;
}

void FirmDs::add_terms() {
  std::vector<double> own;
  for (const Member& m : members_) own.insert(own.end(), problem_.slices(), m.weight);
  if (!fused_) own_term_ = nnls_.add_term(own_, own);
  shared_term_ = nnls_.add_term(shared_, shared_alpha());
}

void FirmDs::add_prior(const PriorFactory& factory) {
  std::vector<Variable> variables;
  for (const Member& m : members_) variables.push_back(problem_.variables()[m.variable]);
  if (!variables.empty()) nnls_.set_prior(factory(variables, problem_.slices()), member_columns());
}

void FirmDs::add_primal_dual(const std::vector<double>& weights) {
  const Study& study = problem_.study();
  const std::size_t slices = problem_.slices();
  primal_dual_ = std::make_unique<PrimalDual>(study.image_rows, study.image_columns,
                                              members_.size() * slices, problem_.threads());
  if (!fused_) primal_dual_->add_term(own_, nnls_.alpha(own_term_));
  primal_dual_->add_term(shared_, nnls_.alpha(shared_term_));
  for (const std::size_t column : member_columns()) tv_weights_.push_back(weights[column]);
}

void FirmDs::read_own_data() {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const std::size_t variable = members_[k].variable;
    if (!problem_.variables()[variable].measured) continue;
    Block b(problem_.variables()[variable].geometry.rays(), problem_.slices());
    problem_.operators().get(problem_.data(), variable, b);
    own_.put(b, k, own_data_);
  }
  if (balances_) own_products_ = own_data_;
  fill_own_target();
}

// b_i / s_i^2, or A_i w_i in place of b_i, where the term is one of its own.
void FirmDs::fill_own_target() {
  if (fused_) return;
  const Sinograms& fitted = second_stage_ ? own_products_ : own_data_;
  for (std::size_t g = 0; g < own_data_.size(); ++g) {
    Block& target = nnls_.target(own_term_)[g];
    for (std::size_t column = 0; column < target.columns(); ++column) {
      const std::size_t k = own_.image_column(g, column) / problem_.slices();
      const auto weight = static_cast<float>(members_[k].weight);
      for (std::size_t ray = 0; ray < target.rows(); ++ray) {
        target(ray, column) = weight * fitted[g](ray, column);
      }
    }
  }
}

// t = (c / (tau s_N^2)) (q - tau e), q = c A_N w, and b / s_i^2 where one term serves both.
void FirmDs::fill_shared_target() {
  if (members_.empty()) return;
  const std::size_t slices = problem_.slices();
  Block& target = nnls_.target(shared_term_).front();
  const Block& product = nnls_.product(shared_term_).front();
  // With a common geometry the sites' own data is one Block too, `other` excepted.
  const bool with_data = fused_ && !own_data_.empty();
  const Sinograms& fitted = second_stage_ ? own_products_ : own_data_;
  parallel_rows(target.rows(), problem_.threads(), [&](std::size_t ray) {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const Member& m = members_[k];
      const double scale = m.c / m.tau * coupling_weight_;
      for (std::size_t z = 0; z < slices; ++z) {
        const std::size_t column = k * slices + z;
        const double q = m.c * static_cast<double>(product(ray, column));
        double t = scale * (q - m.tau * static_cast<double>(message_(ray, z)));
        // Members with data come first, in order.
        if (with_data && m.weight > 0) {
          t += m.weight * static_cast<double>(fitted.front()(ray, column));
        }
        target(ray, column) = static_cast<float>(t);
      }
    }
  });
}

}  // namespace firm
