// LiveImages: the current images of a run, packed into few enough values for a page. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "report/page/packed_values.h"
#include "run/run_callbacks.h"

namespace firm {

class LiveImages {
 public:
  // Copies the values that a page shows. Called by the thread of the run.
  void update(const ImagesNow& now);

  // Number of updates so far.
  std::uint64_t version() const;
  // `images` of the document; empty before the first update. Made on demand, once per version.
  std::string json();
  // Seconds that the last version took, in the run and in the server.
  double cost() const;

 private:
  struct Stack {
    std::string site;
    std::string signal;
    std::string units;
  };

  mutable std::mutex mutex_;
  Packing packing_;  // of the copied slices
  ImageGrid grid_;
  std::size_t first_slice_ = 0;
  std::size_t all_slices_ = 0;
  std::vector<Stack> stacks_;
  std::vector<float> values_;  // stack by stack, slice by slice
  std::uint64_t version_ = 0;
  std::mutex json_mutex_;  // guards json_ and json_version_
  std::string json_;
  std::uint64_t json_version_ = 0;
  double copy_seconds_ = 0;
  double packing_seconds_ = 0;
};

}  // namespace firm
