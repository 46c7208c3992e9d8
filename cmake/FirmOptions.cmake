set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(FIRM_BUILD_TESTS "Build the tests" ON)
option(FIRM_BUILD_BENCHMARKS "Build the benchmarks" ON)
option(FIRM_BUILD_FUZZERS "Build the fuzzers; needs clang" OFF)
option(FIRM_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" ON)
set(FIRM_SANITIZE "" CACHE STRING "Sanitizers to build with, for example address,undefined")

# Flags that every FIRM target shares.
add_library(firm_flags INTERFACE)
target_compile_options(firm_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(FIRM_WARNINGS_AS_ERRORS)
  target_compile_options(firm_flags INTERFACE -Werror)
endif()
if(FIRM_SANITIZE)
  target_compile_options(firm_flags INTERFACE -fsanitize=${FIRM_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(firm_flags INTERFACE -fsanitize=${FIRM_SANITIZE})
endif()

option(FIRM_PRECOMPILE "Precompile the headers that most sources use" ON)
# firm_precompile(<target> <header>): see src/precompiled/.
function(firm_precompile target header)
  if(FIRM_PRECOMPILE)
    get_filename_component(path ${header} ABSOLUTE)
    target_precompile_headers(${target} PRIVATE ${path})
  endif()
endfunction()
