// The checkpoints of a site, or of a part of a run: the three newest, each with the round in its
// name.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "run/store/run_directory.h"
#include "solve/archive.h"

namespace firm {

class SiteCheckpoints {
 public:
  // `part` tells apart those of several parts in one directory.
  explicit SiteCheckpoints(const RunDirectory& directory, const std::string& part = "");

  // Rounds of those that are intact.
  std::vector<std::uint64_t> rounds() const;
  std::string path(std::uint64_t round) const;
  // Writes one more, and removes all but the three newest: sites can be one apart, and
  // one of the two may be damaged.
  void write(const std::string& identity, int round,
             const std::function<void(Archive&)>& state) const;
  void remove_all() const;
  // Those beyond a round: all sites go on from there, and the three newest are to be of what comes.
  void remove_after(std::uint64_t round) const;
  // Renames one that does not belong here.
  void set_aside(std::uint64_t round) const;

 private:
  std::vector<std::uint64_t> present() const;

  const RunDirectory& directory_;
  std::string prefix_;
};

}  // namespace firm
