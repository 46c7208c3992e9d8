// Folder: the data files of a folder, sorted.
#pragma once

#include <string>
#include <vector>

#include "io/files/raw_file.h"

namespace firm {

struct Folder {
  std::string path;
  FileKind kind = FileKind::kOther;  // of `files`
  // Paths, sorted by name with numbers compared as numbers: a2 before a10. Without hidden files and
  // files of other kinds, since a folder may also hold notes and the angles.
  std::vector<std::string> files;
};

// Throws firm::Error when there are no HDF5 or TIFF files, or both.
Folder list_folder(const std::string& path);

// The last part of a path: "maps" for "data/maps/".
std::string name_of_file(const std::string& path);

}  // namespace firm
