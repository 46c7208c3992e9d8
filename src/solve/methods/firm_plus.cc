#include "solve/methods/firm_plus.h"

#include "core/column_loop.h"

namespace firm {
namespace {

// Calls body(k) for all values of an image.
template <typename Body>
void each_value(const Block& image, int threads, const Body& body) {
  ColumnLoop loop(image.rows(), image.columns(), 0, threads);
  loop.run([&](std::size_t k, std::size_t, float*) { body(k); });
}

}  // namespace

FirmPlus::FirmPlus(Problem& problem, const SolveOptions& options)
    : Firm(problem, options, 2),
      threads_(problem.threads()),
      mu_(problem.pixels(), problem.slices()),
      correction_(problem.pixels(), problem.slices()) {}

MethodFootprint FirmPlus::footprint(const SolveOptions& /*options*/, const HostedSize& size) {
  MethodFootprint f;
  f.held = {2 * size.images + 4, size.rays};
  f.state = {size.images + 1};
  f.share = {2};
  return f;
}

void FirmPlus::share() {
  Firm::share();
  if (rule().supposes_end()) coupling().combine(w(), field(1));  // D w
}

std::span<float> FirmPlus::vector() { return rule().supposes_end() ? Firm::vector() : field(0); }

Verdict FirmPlus::judge() {
  Verdict verdict = Firm::judge();
  // Skipped at the end of the run: the sum contains D u only if the share assumed the end of an
  // inner loop.
  if (!verdict.repeat && !verdict.done && outcome().ended) {
    const float* du = field(1).data();
    float* mu = mu_.data();
    const auto rate = static_cast<float>(1 / (2 * rule().eta_before()));
    each_value(mu_, threads_, [=](std::size_t k) { mu[k] += rate * du[k]; });  // (dual_update)
  }
  return verdict;
}

void FirmPlus::update() {
  const float* s = field(0).data();
  const float* mu = mu_.data();
  float* t = correction_.data();
  const auto eta = static_cast<float>(rule().eta());
  each_value(mu_, threads_, [=](std::size_t k) { t[k] = 0.5f * s[k] + eta * mu[k]; });
  correct(correction_.values(), 1);  // (al_update)
}

void FirmPlus::archive(Archive& archive) {
  Firm::archive(archive);
  archive.values("mu", mu_.values());
}

}  // namespace firm
