# Archer tells the thread sanitizer which accesses OpenMP orders; without it every parallel loop
# looks like a race. It sits beside clang's other libraries, where the loader does not look.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-resource-dir
                OUTPUT_VARIABLE clang_resources OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
find_library(FIRM_ARCHER archer HINTS ${clang_resources}/../.. REQUIRED)
list(APPEND FIRM_TEST_PROPERTIES ENVIRONMENT OMP_TOOL_LIBRARIES=${FIRM_ARCHER})
