// HeldViews: T of the angles that a projector is at work on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firm/buffer.h"
#include "tomo/attenuated/attenuated.h"

namespace firm {

class HeldViews {
 public:
  HeldViews(const Transmittance& transmittance, int threads);

  const TransmittanceLayout& layout() const { return transmittance_.layout(); }
  // Makes T of some angles, unless all angles are held: start(), add() them, make(). add() returns
  // false, and adds nothing, if that would be more than capacity().
  void start() { angles_.clear(); }
  bool add(std::span<const std::size_t> angles);
  void make();
  const std::uint16_t* const* views() const { return view_.data(); }
  // T of an angle that is held.
  const std::uint16_t* view(std::size_t angle) const { return view_[angle]; }
  std::size_t bytes() const;

 private:
  const Transmittance& transmittance_;
  std::size_t capacity_;
  Buffer<std::uint16_t> band_;
  SweepScratch scratch_;
  std::vector<const std::uint16_t*> view_;
  std::vector<std::size_t> angles_;
};

}  // namespace firm
