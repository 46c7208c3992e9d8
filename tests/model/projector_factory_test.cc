// A study in which one site has its own projector factory.
#include "model/projector_factory.h"

#include <gtest/gtest.h>

#include "solve/solver.h"
#include "support/small_study.h"

namespace firm {
namespace {

// `factor` times the plain matrix.
class Scaled : public Projector {
 public:
  Scaled(const Geometry& geometry, const ProjectorOptions& options, float factor)
      : Projector(geometry), plain_(make_projector(geometry, options)), factor_(factor) {}
  std::string kernel() const override { return "scaled " + plain_->kernel(); }
  std::size_t bytes() const override { return plain_->bytes(); }

 private:
  void do_forward(const Block& x, Block& y) override {
    plain_->forward(x, y);
    for (float& value : y.values()) value *= factor_;
  }
  void do_adjoint(const Block& y, Block& x) override {
    plain_->adjoint(y, x);
    for (float& value : x.values()) value *= factor_;
  }

  std::unique_ptr<Projector> plain_;
  float factor_;
};

class ScaledProjectors : public ProjectorFactory {
 public:
  explicit ScaledProjectors(float factor) : factor_(factor) {}
  std::unique_ptr<Projector> make(const Geometry& geometry,
                                  const ProjectorOptions& options) const override {
    return std::make_unique<Scaled>(geometry, options, factor_);
  }

 private:
  float factor_;
};

TEST(ProjectorFactoryTest, GroupsImagesByMatrix) {
  const Geometry g = paper_geometry(6, 4);
  const ScaledProjectors twice(2);
  Operators a({&g, {&g, twice}, &g}, 1, 1);
  ASSERT_EQ(a.groups().size(), 2u);
  EXPECT_EQ(a.groups()[0].images, (std::vector<std::size_t>{0, 2}));
  Block w(g.pixels(), 3);
  for (std::size_t p = 0; p < w.rows(); ++p) w(p, 0) = w(p, 1) = w(p, 2) = static_cast<float>(p);
  Sinograms y = a.make_sinograms();
  a.forward(w, y);
  for (std::size_t ray = 0; ray < g.rays(); ++ray) {
    EXPECT_EQ(y[1](ray, 0), 2 * y[0](ray, 0));
    EXPECT_EQ(y[0](ray, 1), y[0](ray, 0));
  }
  EXPECT_NEAR(a.lambda_max()[1], 4 * a.lambda_max()[0], 1e-3 * a.lambda_max()[0]);
}

// Twice the matrix and twice the data are the same problem, up to the weight of the site.
TEST(ProjectorFactoryTest, SolvesWithMatrixOfSite) {
  const SmallStudy small = make_small_study({.noise = 0, .smallest = 0.2});
  std::vector<SiteData> doubled = small.data;
  for (float& value : doubled[0].values.values()) value *= 2;
  const ScaledProjectors twice(2);
  for (const std::string method : {"firm-ds", "pgd", "fedpgd"}) {
    ProblemOptions options;
    options.projectors.assign(small.study.sites.size(), &plain_projectors());
    options.projectors[0] = &twice;
    options.threads = 1;
    Problem problem(small.study, doubled, options);
    LocalCollective collective;
    SolveInput input;
    input.problem = &problem;
    input.collective = &collective;
    input.options.method = method;
    input.options.stop.kkt = 1e-6;
    input.options.stop.rounds = 50000;
    const Solution s = solve(input);
    EXPECT_LT(s.summary.certificate.objective, 1e-5) << method;
    for (const double square : s.summary.certificate.squares) EXPECT_LT(square, 1e-5) << method;
  }
}

}  // namespace
}  // namespace firm
