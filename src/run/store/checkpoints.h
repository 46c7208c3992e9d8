// Checkpoints: the checkpoint files of a shard, newest last.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/archive.h"

namespace firm {

class Checkpoints {
 public:
  // Keeps one file, RUN/checkpoint.h5, which every checkpoint replaces. For a shard that runs by
  // itself.
  static Checkpoints single(std::string path);
  // Keeps the three newest, with the round in the name: RUN/checkpoint-NAME-12.h5. For shards that
  // have to resume from the same round: two sites can be one checkpoint apart, and one file may be
  // damaged.
  static Checkpoints numbered(const std::string& directory, const std::string& name = "");

  // Rounds of the intact checkpoints, ascending; empty for a single file.
  std::vector<std::uint64_t> rounds() const;
  // Returns true if the single file exists.
  bool exists() const;
  std::string path(std::uint64_t round) const;
  void write(const std::string& identity, int round,
             const std::function<void(Archive&)>& state) const;
  void remove_all() const;
  // Removes the checkpoints after a round from which all shards resume.
  void remove_after(std::uint64_t round) const;
  // Renames a checkpoint that belongs to another run.
  void set_aside(std::uint64_t round) const;

 private:
  Checkpoints(std::string place, std::string prefix);
  std::vector<std::uint64_t> present() const;
  bool is_single() const { return prefix_.empty(); }

  std::string place_;   // the directory, or the single file
  std::string prefix_;  // of numbered files
};

}  // namespace firm
