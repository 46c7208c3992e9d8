// Packed images as JSON, as in the document of a page.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/page/packed_values.h"

namespace firm {

// All keys but `values`: rows, columns, low, high, bits, and with 16 bits also base and step.
nlohmann::ordered_json packing_json(const PackedValues& packed);
// All keys, with `values`.
nlohmann::ordered_json packed_json(const PackedValues& packed);

}  // namespace firm
