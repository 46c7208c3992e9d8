set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(FIRM_BUILD_TESTS "Build the tests" ON)
option(FIRM_BUILD_BENCHMARKS "Build the benchmarks" ON)
option(FIRM_BUILD_PYTHON "Build the Python package" OFF)
option(FIRM_PYTHON_ONLY "Build the Python package and nothing else, for pip" OFF)
option(FIRM_BUILD_FUZZERS "Build the fuzzers; needs clang" OFF)
option(FIRM_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" ON)
set(FIRM_SANITIZE "" CACHE STRING "Sanitizers to build with, for example address,undefined")

# Flags that every FIRM target shares.
add_library(firm_flags INTERFACE)
target_compile_options(firm_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# Loops have pragmas that only GCC knows.
target_compile_options(firm_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-pragmas>)
if(FIRM_WARNINGS_AS_ERRORS)
  target_compile_options(firm_flags INTERFACE -Werror)
endif()
if(FIRM_SANITIZE)
  target_compile_options(firm_flags INTERFACE -fsanitize=${FIRM_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(firm_flags INTERFACE -fsanitize=${FIRM_SANITIZE})
endif()

# For code that waits for files, networks and people: a third less time to compile.
add_library(firm_cold_flags INTERFACE)
target_compile_options(firm_cold_flags INTERFACE $<$<CONFIG:Release>:-O1>)
target_link_libraries(firm_cold_flags INTERFACE firm_flags)

option(FIRM_PRECOMPILE "Precompile the headers that most sources use" ON)
# GCC 12 warns, wrongly, of bounds inside a precompiled std::string. Builds without precompiled headers
# keep these warnings.
set(FIRM_PRECOMPILED_FLAGS
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
# firm_precompile(<target> <header>): compiles src/precompiled/<header> once for the target.
function(firm_precompile target header)
  if(FIRM_PRECOMPILE)
    target_compile_options(${target} PRIVATE ${FIRM_PRECOMPILED_FLAGS})
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/precompiled/${header})
  endif()
endfunction()
# firm_share_precompiled(<target> <owner>): uses the header compiled for the owner. Both have the same
# flags, but the target may define more macros, which the header does not use.
function(firm_share_precompiled target owner)
  if(FIRM_PRECOMPILE)
    target_compile_options(${target} PRIVATE ${FIRM_PRECOMPILED_FLAGS})
    target_precompile_headers(${target} REUSE_FROM ${owner})
    get_target_property(pic ${owner} POSITION_INDEPENDENT_CODE)
    if(pic)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
  endif()
endfunction()
