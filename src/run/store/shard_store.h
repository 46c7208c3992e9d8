// ShardStore: the directory RUN/chunks, which holds the stages of a run with several until it ends.
//
//   slices-00016.h5              a finished stage, by its first slice
//   slices-00016.checkpoint.h5   a stage in progress, or one that has not converged
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
  // Returns the result of an earlier attempt, if any.
  std::optional<ShardResult> result(const SliceRange& slices) const;

 private:
  std::string path_;
};

}  // namespace firm
