# Run by ctest; see CMakeLists.txt for the variables.
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output ERROR_VARIABLE output
                  RESULT_VARIABLE result)
  if(result)
    string(REPLACE ";" " " command "${ARGV}")
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The consumer's pixel of 1 cm is met by one ray at each of two angles, 1 cm of each.
function(check_consumer program)
  run(${program})
  if(NOT output STREQUAL "firm ${version}\nsum 2\n")
    message(FATAL_ERROR "${program} printed:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${prefix})
run(${prefix}/bin/firm --version)
if(NOT output MATCHES "${version}")
  message(FATAL_ERROR "firm --version printed:\n${output}")
endif()

# By find_package(firm).
run(${CMAKE_COMMAND} -S ${source} -B ${work}/by-cmake -G ${generator}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${compiler})
run(${CMAKE_COMMAND} --build ${work}/by-cmake)
check_consumer(${work}/by-cmake/consumer)

# By pkg-config. Every object of the library is linked, so that a library missing from firm.pc is
# noticed whatever the consumer calls.
set(ENV{PKG_CONFIG_PATH} ${prefix}/${libdir}/pkgconfig)
run(${pkg_config} --static --cflags --libs firm)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${compiler} -std=c++20 ${source}/main.cc -o ${work}/by-pkg-config
    -Wl,--whole-archive ${prefix}/${libdir}/libfirm.a -Wl,--no-whole-archive ${flags})
check_consumer(${work}/by-pkg-config)
