// Packed images, as the document of a page has them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/page/packed_values.h"

namespace firm {

// rows, columns, low, high, bits; with 16 bits base and step.
nlohmann::ordered_json packing_json(const PackedValues& packed);
// And values.
nlohmann::ordered_json packed_json(const PackedValues& packed);

}  // namespace firm
