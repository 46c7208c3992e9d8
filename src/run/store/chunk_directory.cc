#include "run/store/chunk_directory.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/files/pending_file.h"

namespace firm {

bool ChunkDirectory::exists() const { return std::filesystem::is_directory(path_); }

void ChunkDirectory::create() const { make_directory(path_); }

void ChunkDirectory::remove() const {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ChunkDirectory::result_file(const SliceRange& chunk) const {
  return fmt::format("{}/slices-{:05}.h5", path_, chunk.first);
}

std::string ChunkDirectory::checkpoint_file(const SliceRange& chunk) const {
  return fmt::format("{}/slices-{:05}.checkpoint.h5", path_, chunk.first);
}

std::optional<ChunkResult> ChunkDirectory::result(const SliceRange& chunk) const {
  const std::string file = result_file(chunk);
  if (!std::filesystem::exists(file)) return {};
  return read_chunk(file);
}

bool ChunkDirectory::has_checkpoint(const SliceRange& chunk) const {
  return std::filesystem::exists(checkpoint_file(chunk));
}

}  // namespace firm
