// Reads whole numbers from JSON of others: conversions of nlohmann::json round and wrap.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace firm {

// Throws std::exception unless the field is a whole number from `least`, which is not positive, to
// `most`.
template <typename T>
T whole_number(const nlohmann::json& object, const char* field, std::int64_t least = 0,
               std::uint64_t most = std::numeric_limits<T>::max()) {
  const nlohmann::json& value = object.at(field);
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= most
                        : value.is_number_integer() && value.get<std::int64_t>() >= least &&
                              value.get<std::int64_t>() < 0;
  if (!fits) throw std::out_of_range(field);
  return value.get<T>();
}

}  // namespace firm
