#include "tomo/attenuated/held_views.h"

#include "firm/error.h"

namespace firm {

HeldViews::HeldViews(const Transmittance& transmittance, int threads)
    : transmittance_(transmittance),
      capacity_(transmittance.geometry().angles.size()),
      scratch_(transmittance.layout(), transmittance.path().detectors.size(),
               transmittance.band() > 0 ? threads : 0),
      view_(capacity_) {
  angles_.reserve(capacity_);
  if (transmittance.band() > 0) {
    capacity_ = transmittance.band();
    band_ = Buffer<std::uint16_t>(capacity_ * layout().view_elements());
    return;
  }
  for (std::size_t k = 0; k < view_.size(); ++k) view_[k] = transmittance.held(k);
}

bool HeldViews::add(std::span<const std::size_t> angles) {
  if (angles_.size() + angles.size() > capacity_) {
    FIRM_CHECK(!angles_.empty());
    return false;
  }
  angles_.insert(angles_.end(), angles.begin(), angles.end());
  return true;
}

void HeldViews::make() {
  if (transmittance_.band() == 0) return;
  transmittance_.make(angles_, scratch_, band_.data());
  for (std::size_t k = 0; k < angles_.size(); ++k) {
    view_[angles_[k]] = band_.data() + k * layout().view_elements();
  }
}

std::size_t HeldViews::bytes() const {
  return band_.size() * sizeof(std::uint16_t) + scratch_.bytes();
}

}  // namespace firm
