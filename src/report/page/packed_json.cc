#include "report/page/packed_json.h"

#include <nlohmann/json.hpp>

namespace firm {

nlohmann::ordered_json packing_json(const PackedValues& packed) {
  nlohmann::ordered_json j = {{"rows", packed.rows()},
                              {"columns", packed.columns()},
                              {"low", packed.low()},
                              {"high", packed.high()},
                              {"bits", packed.bits()}};
  if (packed.bits() == 16) {
    j["base"] = packed.base();
    j["step"] = packed.step();
  }
  return j;
}

nlohmann::ordered_json packed_json(const PackedValues& packed) {
  nlohmann::ordered_json j = packing_json(packed);
  j["values"] = packed.base64();
  return j;
}

}  // namespace firm
