// The files of a folder that a scan may consist of.
#pragma once

#include <string>
#include <vector>

#include "io/files/raw_file.h"

namespace firm {

struct Folder {
  std::string path;
  FileKind kind = FileKind::kOther;  // of `files`
  // With their folder, in the order of their names, where numbers count as numbers: a2 is before
  // a10. Hidden files and files of other kinds are left out, since a folder may hold notes and the
  // angles, too.
  std::vector<std::string> files;
};

// Throws firm::Error when there are no HDF5 or TIFF files, or both.
Folder list_folder(const std::string& path);

// The last part of a path; of a folder that is given as "maps/", "maps".
std::string name_of_file(const std::string& path);

}  // namespace firm
