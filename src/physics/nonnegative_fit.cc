#include "physics/nonnegative_fit.h"

#include <algorithm>
#include <cmath>

#include "firm/error.h"

namespace firm {
namespace {

constexpr double kRounding = 1e-12;

// Cholesky factor L of a symmetric n x n matrix, A = L L^T; false if A is not positive definite.
bool cholesky(std::vector<double>& A, std::size_t n) {
  constexpr double kSmallest = 1e-10;
  for (std::size_t j = 0; j < n; ++j) {
    const double diagonal = A[j * n + j];
    for (std::size_t i = j; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) A[i * n + j] -= A[i * n + k] * A[j * n + k];
    }
    if (!(A[j * n + j] > kSmallest * diagonal)) return false;
    const double root = std::sqrt(A[j * n + j]);
    for (std::size_t i = j; i < n; ++i) A[i * n + j] /= root;
  }
  return true;
}

std::vector<double> solve_lower(const std::vector<double>& L, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= L[i * n + k] * b[k];
    b[i] /= L[i * n + i];
  }
  return b;
}

std::vector<double> solve_upper(const std::vector<double>& L, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= L[k * n + i] * b[k];
    b[i] /= L[i * n + i];
  }
  return b;
}

// Rows and columns `chosen` of G.
std::vector<double> part_of(const std::vector<double>& G, std::size_t n,
                            const std::vector<std::size_t>& chosen) {
  std::vector<double> part;
  for (const std::size_t i : chosen) {
    for (const std::size_t k : chosen) part.push_back(G[i * n + k]);
  }
  return part;
}

// The unconstrained fit of the chosen unknowns; none if they are linearly dependent.
std::optional<std::vector<double>> fit_of(const std::vector<double>& G,
                                          const std::vector<double>& h,
                                          const std::vector<std::size_t>& chosen) {
  std::vector<double> L = part_of(G, h.size(), chosen);
  if (!cholesky(L, chosen.size())) return {};
  std::vector<double> b;
  for (const std::size_t i : chosen) b.push_back(h[i]);
  return solve_upper(L, solve_lower(L, b));
}

// Unknowns that are not 0, and their values.
class ActiveSet {
 public:
  ActiveSet(const std::vector<double>& G, const std::vector<double>& h)
      : gram_(G), h_(h), f_(h.size()), refused_(h.size()) {}

  // Adds an unknown that lowers the sum; false if none does.
  bool grow() {
    const std::optional<std::size_t> next = steepest();
    if (!next) return false;
    active_.push_back(*next);
    if (const auto fit = fit_of(gram_, h_, active_)) {
      move_to(*fit);
    } else {
      refused_[*next] = true;
      active_.pop_back();
    }
    return true;
  }
  const std::vector<double>& values() const { return f_; }

 private:
  // The unknown that lowers the sum most per unit of its own size.
  std::optional<std::size_t> steepest() const {
    const std::size_t n = h_.size();
    std::optional<std::size_t> best;
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double size = std::sqrt(std::max(0.0, gram_[i * n + i]));
      if (refused_[i] || !(size > 0) || std::ranges::find(active_, i) != active_.end()) continue;
      double slope = h_[i];
      for (std::size_t k = 0; k < n; ++k) slope -= gram_[i * n + k] * f_[k];
      if (slope <= kRounding * std::abs(h_[i]) || slope / size <= most) continue;
      most = slope / size;
      best = i;
    }
    return best;
  }

  // Moves towards the fit until an unknown would become negative. Removes unknowns that become 0,
  // and repeats with the fit of the others.
  void move_to(std::vector<double> fit) {
    while (std::ranges::any_of(fit, [](double x) { return x <= 0; })) {
      double step = 1;
      std::size_t first = 0;  // unknown that becomes 0 first
      for (std::size_t a = 0; a < active_.size(); ++a) {
        const double here = f_[active_[a]];
        if (fit[a] > 0 || here / (here - fit[a]) > step) continue;
        step = here / (here - fit[a]);
        first = a;
      }
      for (std::size_t a = 0; a < active_.size(); ++a) {
        f_[active_[a]] += step * (fit[a] - f_[active_[a]]);
      }
      f_[active_[first]] = 0;
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(first));
      fit = *fit_of(gram_, h_, active_);
    }
    for (std::size_t a = 0; a < active_.size(); ++a) f_[active_[a]] = fit[a];
  }

  const std::vector<double>& gram_;
  const std::vector<double>& h_;
  std::vector<double> f_;
  std::vector<std::size_t> active_;
  std::vector<bool> refused_;  // combinations of others
};

}  // namespace

std::vector<double> nonnegative_fit(const std::vector<double>& G, const std::vector<double>& h) {
  FIRM_CHECK(G.size() == h.size() * h.size());
  ActiveSet set(G, h);
  const std::size_t most = 10 * h.size() + 10;  // a few steps suffice; this guards against rounding
  for (std::size_t k = 0; k < most && set.grow(); ++k) {
  }
  return set.values();
}

std::optional<double> variance_inflation(const std::vector<double>& G, std::size_t n,
                                         std::size_t unknown) {
  std::vector<std::size_t> order;  // `unknown` last: its entry of the inverse is 1 / L_nn^2
  for (std::size_t i = 0; i < n; ++i) {
    if (i != unknown && G[i * n + i] > 0) order.push_back(i);
  }
  order.push_back(unknown);
  std::vector<double> L = part_of(G, n, order);
  if (!cholesky(L, order.size())) return {};
  return G[unknown * n + unknown] / (L.back() * L.back());
}

}  // namespace firm
