// Keeps HDF5 files from reading other files: external links, external storage, virtual datasets.
//
// A data file may come from elsewhere, and such a link may name any file of this machine.
#pragma once

#include <cstdint>
#include <string>

#include "io/hdf5/hdf5_detail.h"

namespace firm::h5 {

// Decides whether external links are followed, by a callback of the library. Stays where it is: the
// library keeps its address.
class LinkGuard {
 public:
  LinkGuard(std::string file, OtherFiles others);
  LinkGuard(const LinkGuard&) = delete;
  LinkGuard& operator=(const LinkGuard&) = delete;

  OtherFiles others() const { return others_; }
  // Access properties for all calls that follow links.
  hid_t properties() const { return properties_.get(); }
  // Throws firm::Error if the last call met a link that must not be followed. `path` is the object
  // that was looked for.
  void check(const std::string& path);

 private:
  static herr_t follow(const char* parent_file, const char* parent_group, const char* child_file,
                       const char* child_object, unsigned* flags, hid_t access, void* self);

  std::string file_;
  OtherFiles others_;
  Handle properties_;
  std::string refused_;  // the link that was not followed; empty: none
};

// Throws firm::Error if a dataset keeps values in files that `reader` must not read. Returns the
// size of the files, besides its own, that it reads.
std::uintmax_t check_storage(const Reader& reader, const std::string& path, hid_t dataset);

}  // namespace firm::h5
