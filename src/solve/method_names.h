// Names of the methods, for the registry and for code that selects one of them.
#pragma once

namespace firm::method {

inline constexpr const char* kFirmDs = "firm-ds";
inline constexpr const char* kFirm = "firm";
inline constexpr const char* kFirmPlus = "firm+";
inline constexpr const char* kFedPgd = "fedpgd";
inline constexpr const char* kPgd = "pgd";
inline constexpr const char* kPlsqr = "plsqr";

}  // namespace firm::method
