#include "run/store/shard_store.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/files/crash_guard.h"
#include "io/files/pending_file.h"

namespace firm {

bool ShardStore::exists() const { return std::filesystem::is_directory(path_); }

void ShardStore::create() const { make_directory(path_); }

void ShardStore::remove() const {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ShardStore::result_file(const SliceRange& slices) const {
  return fmt::format("{}/slices-{:05}.h5", path_, slices.first);
}

std::string ShardStore::checkpoint_file(const SliceRange& slices) const {
  return fmt::format("{}/slices-{:05}.checkpoint.h5", path_, slices.first);
}

std::optional<ShardResult> ShardStore::result(const SliceRange& slices) const {
  const std::string file = result_file(slices);
  if (!std::filesystem::exists(file)) return {};
  guard_hdf5(file, [&] { read_result(file); });
  return read_result(file);
}

}  // namespace firm
