// Paths in a Data Exchange file.
#pragma once

namespace firm::data_exchange {

inline constexpr const char* kImplements = "/implements";
inline constexpr const char* kData = "/exchange/data";
inline constexpr const char* kWhite = "/exchange/data_white";
inline constexpr const char* kDark = "/exchange/data_dark";
inline constexpr const char* kTheta = "/exchange/theta";
inline constexpr const char* kTitle = "/exchange/title";
inline constexpr const char* kSpacing = "/measurement/instrument/detector/actual_pixel_size_x";
inline constexpr const char* kRotation = "/process/acquisition/rotation";
inline constexpr const char* kRotationStart = "/process/acquisition/rotation/rotation_start";
inline constexpr const char* kRotationStep = "/process/acquisition/rotation/rotation_step";
inline constexpr const char* kAngleCount = "/process/acquisition/rotation/num_angles";
inline constexpr const char* kRotationAxis = "/process/acquisition/rotation/rotation_axis";
inline constexpr const char* kProgram = "/process/program/name";
inline constexpr const char* kProgramVersion = "/process/program/version";
inline constexpr const char* kProgramNote = "/process/program/parameters";

inline constexpr const char* kDefaultAxes = "theta:y:x";

}  // namespace firm::data_exchange
