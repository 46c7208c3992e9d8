// Fuzzer inputs as sequences of records, and the seeds of a corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace firm {

// Packed as one byte `what`, two bytes of length, and the bytes.
struct Record {
  std::uint8_t what = 0;
  std::string bytes = {};
};

inline std::vector<Record> unpacked(const std::uint8_t* data, std::size_t size) {
  std::vector<Record> records;
  for (std::size_t at = 0; at + 3 <= size;) {
    std::size_t length = data[at + 1] + std::size_t{256} * data[at + 2];
    if (length > size - at - 3) length = size - at - 3;
    records.push_back({data[at], {reinterpret_cast<const char*>(data + at + 3), length}});
    at += 3 + length;
  }
  return records;
}

inline std::string packed(const std::vector<Record>& records) {
  std::string bytes;
  for (const Record& r : records) {
    bytes += static_cast<char>(r.what);
    bytes += static_cast<char>(r.bytes.size() & 255);
    bytes += static_cast<char>(r.bytes.size() >> 8);
    bytes += r.bytes;
  }
  return bytes;
}

// Writes the seeds into the first directory of the command line, which libFuzzer uses as corpus.
inline void write_seeds(int argc, char** argv, const std::vector<std::string>& seeds) {
  for (int k = 1; k < argc; ++k) {
    if (!std::filesystem::is_directory(argv[k])) continue;
    for (std::size_t n = 0; n < seeds.size(); ++n) {
      const std::filesystem::path path =
          std::filesystem::path(argv[k]) / ("seed-" + std::to_string(n));
      std::ofstream(path, std::ios::binary) << seeds[n];
    }
    return;
  }
}

// Aborts, which the fuzzer reports, unless the property holds.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

}  // namespace firm
