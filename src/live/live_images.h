// The images of a run that goes on, as a page wants them: few enough values, at most once a second.
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
  // Copies what a page shows; called by the run.
  void take(const ImagesNow& now);

  // 0: none yet.
  std::uint64_t version() const;
  // `images` of the document; empty: none yet. Made when it is asked for, once per version.
  std::string json();
  // Seconds that the last ones took, of the run and of the server.
  double cost() const;

 private:
  struct Stack {
    std::string site;
    std::string signal;
    std::string units;
  };

  mutable std::mutex mutex_;
  Packing packing_;  // of the slices that are copied
  ImageGrid grid_;
  std::size_t first_slice_ = 0;
  std::size_t all_slices_ = 0;
  std::vector<Stack> stacks_;
  std::vector<float> values_;  // slice after slice, of stack after stack
  std::uint64_t version_ = 0;
  std::mutex making_;  // of json_
  std::string json_;
  std::uint64_t json_version_ = 0;
  double taking_ = 0;
  double making_seconds_ = 0;
};

}  // namespace firm
