#include "paper/items/general_projection.h"

#include "firm/error.h"

#ifdef FIRM_HAVE_IPOPT

#include <IpoptConfig.h>
#include <fmt/format.h>

#include <IpIpoptApplication.hpp>
#include <IpSolveStatistics.hpp>
#include <IpTNLP.hpp>
#include <algorithm>
#include <limits>
#include <vector>

#include "core/timing.h"

namespace firm::paper {
namespace {

using Ipopt::Index;
using Ipopt::Number;

// The quadratic programme in the interface of Ipopt. Variables are numbered as in the block: number
// p N + i is site i of pixel p. Constraint p belongs to pixel p, and entry p N + i of the Jacobian
// is its derivative by site i.
class Programme : public Ipopt::TNLP {
 public:
  // Copies c and v.
  Programme(std::span<const double> c, const Block& v)
      : pixels_(static_cast<Index>(v.rows())),
        row_(c.size() + 1, 1.0),
        v_(v.values().begin(), v.values().end()) {
    std::transform(c.begin(), c.end(), row_.begin(), [](double c_i) { return -c_i; });
  }

  // The last point of the solver.
  const std::vector<double>& w() const { return w_; }

  bool get_nlp_info(Index& n, Index& m, Index& jacobian_entries, Index& hessian_entries,
                    IndexStyleEnum& index_style) override {
    n = jacobian_entries = hessian_entries = static_cast<Index>(v_.size());
    m = pixels_;
    index_style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* lower, Number* upper, Index m, Number* g_lower,
                       Number* g_upper) override {
    std::fill_n(lower, n, 0.0);
    std::fill_n(upper, n, 2e19);  // Ipopt's infinity
    std::fill_n(g_lower, m, 0.0);
    std::fill_n(g_upper, m, 0.0);
    return true;
  }

  // Ipopt moves the starting point inside the bounds.
  bool get_starting_point(Index /*n*/, bool /*init_x*/, Number* w, bool /*init_z*/,
                          Number* /*z_lower*/, Number* /*z_upper*/, Index /*m*/,
                          bool /*init_lambda*/, Number* /*lambda*/) override {
    std::copy(v_.begin(), v_.end(), w);
    return true;
  }

  bool eval_f(Index /*n*/, const Number* w, bool /*new_w*/, Number& f) override {
    f = 0;
    for (std::size_t k = 0; k < v_.size(); ++k) f += (w[k] - v_[k]) * (w[k] - v_[k]);
    f /= 2;
    return true;
  }

  bool eval_grad_f(Index /*n*/, const Number* w, bool /*new_w*/, Number* gradient) override {
    for (std::size_t k = 0; k < v_.size(); ++k) gradient[k] = w[k] - v_[k];
    return true;
  }

  bool eval_g(Index /*n*/, const Number* w, bool /*new_w*/, Index m, Number* g) override {
    for (Index p = 0; p < m; ++p) {
      g[p] = 0;
      for (const double entry : row_) g[p] += entry * *w++;
    }
    return true;
  }

  // Ipopt first calls it with values = nullptr for the positions, then for the values.
  bool eval_jac_g(Index /*n*/, const Number* /*w*/, bool /*new_w*/, Index m, Index entries,
                  Index* rows, Index* columns, Number* values) override {
    if (values == nullptr) {
      for (Index k = 0; k < entries; ++k) {
        rows[k] = k / (entries / m);
        columns[k] = k;
      }
    } else {
      for (Index p = 0; p < m; ++p) values = std::copy(row_.begin(), row_.end(), values);
    }
    return true;
  }

  // The Hessian is the identity, because the constraints are linear.
  bool eval_h(Index /*n*/, const Number* /*w*/, bool /*new_w*/, Number factor, Index /*m*/,
              const Number* /*lambda*/, bool /*new_lambda*/, Index entries, Index* rows,
              Index* columns, Number* values) override {
    for (Index k = 0; k < entries; ++k) {
      if (values == nullptr) {
        rows[k] = columns[k] = k;
      } else {
        values[k] = factor;
      }
    }
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn /*status*/, Index n, const Number* w,
                         const Number* /*z_lower*/, const Number* /*z_upper*/, Index /*m*/,
                         const Number* /*g*/, const Number* /*lambda*/, Number /*f*/,
                         const Ipopt::IpoptData* /*data*/,
                         Ipopt::IpoptCalculatedQuantities* /*quantities*/) override {
    w_.assign(w, w + n);
  }

 private:
  Index pixels_;
  std::vector<double> row_;  // coefficients of a constraint: -c_1 .. -c_{N-1}, 1
  std::vector<double> v_;
  std::vector<double> w_;
};

const char* describe(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Solve_Succeeded:
      return "solved";
    case Ipopt::Solved_To_Acceptable_Level:
      return "solved only to a weaker tolerance";
    case Ipopt::Infeasible_Problem_Detected:
      return "infeasible problem detected";
    case Ipopt::Search_Direction_Becomes_Too_Small:
      return "search direction becomes too small";
    case Ipopt::Diverging_Iterates:
      return "diverging iterates";
    case Ipopt::Maximum_Iterations_Exceeded:
      return "maximum number of iterations exceeded";
    case Ipopt::Restoration_Failed:
      return "restoration failed";
    case Ipopt::Error_In_Step_Computation:
      return "error in step computation";
    case Ipopt::Invalid_Problem_Definition:
      return "invalid problem definition";
    case Ipopt::Invalid_Option:
      return "invalid option";
    case Ipopt::Invalid_Number_Detected:
      return "invalid number detected";
    case Ipopt::Insufficient_Memory:
      return "insufficient memory";
    default:
      return "see ApplicationReturnStatus in Ipopt's IpReturnCodes";
  }
}

void check(Ipopt::ApplicationReturnStatus status) {
  if (status == Ipopt::Solve_Succeeded) return;
  throw Error(Error::Kind::kData,
              fmt::format("the projection by {} failed: status {}, {}", general_projection_solver(),
                          static_cast<int>(status), describe(status)));
}

Ipopt::SmartPtr<Ipopt::IpoptApplication> make_solver(double tolerance) {
  const Ipopt::SmartPtr<Ipopt::IpoptApplication> solver = new Ipopt::IpoptApplication(false);
  const Ipopt::SmartPtr<Ipopt::OptionsList> options = solver->Options();
  options->SetNumericValue("tol", tolerance);
  options->SetIntegerValue("acceptable_iter", 0);  // accept no weaker tolerance
  options->SetStringValue("linear_solver", "mumps");
  options->SetStringValue("jac_c_constant", "yes");
  options->SetStringValue("hessian_constant", "yes");
  options->SetStringValue("honor_original_bounds", "yes");
  options->SetIntegerValue("print_level", 0);
  options->SetStringValue("sb", "yes");
  check(solver->Initialize(""));  // "": do not read the options file ipopt.opt
  return solver;
}

}  // namespace

bool has_general_projection() { return true; }

std::string general_projection_solver() { return "Ipopt " IPOPT_VERSION " with MUMPS"; }

GeneralProjection project_generally(std::span<const double> c, Block& v, double tolerance) {
  FIRM_CHECK(v.columns() == c.size() + 1);
  FIRM_CHECK(v.rows() > 0 && v.size() <= std::numeric_limits<Index>::max());
  FIRM_CHECK(tolerance > 0);
  const Ipopt::SmartPtr<Ipopt::IpoptApplication> solver = make_solver(tolerance);
  const Ipopt::SmartPtr<Programme> programme = new Programme(c, v);

  const Stopwatch watch;
  const Ipopt::ApplicationReturnStatus status = solver->OptimizeTNLP(GetRawPtr(programme));
  const double seconds = watch.seconds();
  check(status);

  std::transform(programme->w().begin(), programme->w().end(), v.data(),
                 [](double w) { return static_cast<float>(w); });
  return {seconds, solver->Statistics()->IterationCount()};
}

}  // namespace firm::paper

#else

namespace firm::paper {

bool has_general_projection() { return false; }

std::string general_projection_solver() { return "none"; }

GeneralProjection project_generally(std::span<const double> /*c*/, Block& /*v*/,
                                    double /*tolerance*/) {
  throw Error(Error::Kind::kUsage,
              "the projection by a general solver needs Ipopt, and this FIRM was built without it: "
              "install the package coinor-libipopt-dev and build again");
}

}  // namespace firm::paper

#endif
