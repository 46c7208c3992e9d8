// ShardStore: RUN/chunks, the stages of a run that has several, until the run is over.
//
//   slices-00016.h5              a finished stage, by its first slice
//   slices-00016.checkpoint.h5   one that is under way, or has not converged
#pragma once

#include <optional>
#include <string>

#include "core/slice_range.h"
#include "run/shard/shard_result.h"

namespace firm {

class ShardStore {
 public:
  explicit ShardStore(const std::string& run) : path_(run + "/chunks") {}

  bool exists() const;
  void create() const;
  void remove() const;

  std::string result_file(const SliceRange& slices) const;
  std::string checkpoint_file(const SliceRange& slices) const;
  // The result of an earlier attempt, if there is one.
  std::optional<ShardResult> result(const SliceRange& slices) const;

 private:
  std::string path_;
};

}  // namespace firm
