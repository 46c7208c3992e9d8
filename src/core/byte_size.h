// Parses and prints sizes in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace firm {

// "2GB", "1500 MB", "2GiB", "0.5 TB", "4096 B": powers of 1000 (kB, MB, GB, TB) or of 1024 (KiB,
// MiB, GiB, TiB), in upper or lower case. Empty if the number or the unit is missing or unknown, or
// if the size is less than one byte or does not fit into 64 bits.
std::optional<std::uint64_t> parse_byte_size(const std::string& text);

// "325 MiB", "1.2 GiB".
std::string byte_size_text(std::uint64_t bytes);

}  // namespace firm
