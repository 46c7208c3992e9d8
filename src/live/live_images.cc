#include "live/live_images.h"

#include <nlohmann/json.hpp>

#include "core/timing.h"
#include "report/page/packed_json.h"
#include "run/store/run_output.h"

namespace firm {
namespace {

constexpr std::size_t kMostBytes = 2'000'000;

}  // namespace

void LiveImages::update(const ImagesNow& now) {
  const Stopwatch watch;
  const std::lock_guard lock(mutex_);
  const std::size_t pixels = now.images.rows();
  const std::size_t slices = now.images.columns() / now.variables.size();
  grid_ = now.grid;
  first_slice_ = now.first_slice;
  all_slices_ = now.all_slices;
  packing_ = choose_packing(pixels * now.variables.size(), slices, kMostBytes);
  packing_.bits = 16;
  stacks_.clear();
  for (const ImageStack& s :
       image_stacks(now.variables, std::vector<Slices>(now.variables.size()))) {
    stacks_.push_back({s.name, s.signal, s.units});
  }
  values_.resize(pixels * stacks_.size() * packing_.slices.size());
  float* to = values_.data();
  for (std::size_t v = 0; v < stacks_.size(); ++v) {
    for (const std::size_t z : packing_.slices) {
      for (std::size_t p = 0; p < pixels; ++p) *to++ = now.images(p, v * slices + z);
    }
  }
  ++version_;
  copy_seconds_ = watch.seconds();
}

std::uint64_t LiveImages::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

double LiveImages::cost() const {
  const std::lock_guard lock(mutex_);
  return copy_seconds_ + packing_seconds_;
}

std::string LiveImages::json() {
  const std::lock_guard json_lock(json_mutex_);
  std::unique_lock lock(mutex_);
  if (version_ == json_version_) return json_;
  const Packing packing = packing_;
  const ImageGrid grid = grid_;
  const std::vector<Stack> stacks = stacks_;
  const std::vector<float> values = values_;
  const std::uint64_t version = version_;
  std::vector<std::size_t> numbers;
  for (const std::size_t z : packing.slices) numbers.push_back(first_slice_ + z);
  nlohmann::ordered_json j = {{"pixel_size", grid.pixel_size},
                              {"all_slices", all_slices_},
                              {"slices", numbers},
                              {"reduction", packing.reduction}};
  lock.unlock();  // packing takes long; the run must not wait for it

  const Stopwatch watch;
  const std::size_t pixels = grid.rows * grid.columns;
  std::span<const float> remaining = values;
  // Appends the long values as text: they need no escapes.
  json_ = j.dump();
  json_.back() = ',';
  json_ += R"("stacks":[)";
  for (std::size_t k = 0; k < stacks.size(); ++k) {
    PackedValues packed(packing, grid.rows, grid.columns);
    for (const std::size_t z : packing.slices) {
      packed.add(z, remaining.first(pixels));
      remaining = remaining.subspan(pixels);
    }
    nlohmann::ordered_json one = {{"site", stacks[k].site},
                                  {"view", "reconstruction"},
                                  {"signal", stacks[k].signal},
                                  {"units", stacks[k].units}};
    one.update(packing_json(packed));
    if (k > 0) json_ += ',';
    json_ += one.dump();
    json_.back() = ',';
    json_ += R"("values":")" + packed.base64() + R"("})";
  }
  json_ += "]}";
  json_version_ = version;
  lock.lock();
  packing_seconds_ = watch.seconds();
  return json_;
}

}  // namespace firm
