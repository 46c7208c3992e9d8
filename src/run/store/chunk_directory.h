// RUN/chunks: what a run in several chunks keeps until it is over.
//
//   slices-00016.h5              a chunk that is done, by its first slice
//   slices-00016.checkpoint.h5   one that is not, or has not converged
#pragma once

#include <optional>
#include <string>

#include "core/slice_range.h"
#include "run/shard/chunk_result.h"
#include "run/store/run_directory.h"

namespace firm {

class ChunkDirectory {
 public:
  explicit ChunkDirectory(const std::string& run) : path_(run + "/chunks") {}

  bool exists() const;
  void create() const;
  void remove() const;

  std::string result_file(const SliceRange& chunk) const;
  std::string checkpoint_file(const SliceRange& chunk) const;
  // None when there is none.
  std::optional<ChunkResult> result(const SliceRange& chunk) const;
  bool has_checkpoint(const SliceRange& chunk) const;

 private:
  std::string path_;
};

}  // namespace firm
