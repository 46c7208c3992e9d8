// firm+: the augmented Lagrangian form of firm (section FIRM+).
//
//     site i takes   w_i <- (v_i - d_i (S / 2 + eta mu))_+                              (al_update)
//     at the end of an inner loop   mu <- mu + D u / (2 eta)                          (dual_update)
//
// D u is a sum like S, and travels with it in rounds that are assumed to follow such an end.
#pragma once

#include "solve/methods/firm.h"

namespace firm {

class FirmPlus : public Firm {
 public:
  FirmPlus(Problem& problem, const SolveOptions& options);

  static MethodFootprint footprint(const SolveOptions& options, const HostedSize& size);

  void share() override;
  std::span<float> vector() override;
  Verdict judge() override;
  void update() override;
  void archive(Archive& archive) override;

  // Multiplier of problem (modified_model) in the last round, pixels x slices.
  const Block& multiplier() const { return mu_; }

 private:
  int threads_;
  Block mu_;
  Block correction_;  // S / 2 + eta mu
};

}  // namespace firm
