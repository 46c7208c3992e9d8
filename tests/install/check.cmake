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

# Fails if a program needs a library that the projector does not.
function(check_projector_alone program)
  run(${ldd} ${program})
  if(output MATCHES "lib(hdf5|cairo|tiff|xrl|crypto|ssl)[^ ]*")
    message(FATAL_ERROR "${program}: expected the projector's libraries, found ${CMAKE_MATCH_0}")
  endif()
endfunction()

# By find_package, with the projector alone and with the whole library.
foreach(name projector library)
  run(${CMAKE_COMMAND} -S ${source}/${name} -B ${work}/${name} -G ${generator}
      -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${compiler})
  run(${CMAKE_COMMAND} --build ${work}/${name})
  check_consumer(${work}/${name}/consumer)
endforeach()
check_projector_alone(${work}/projector/consumer)

# Programs of at most 15 lines that reconstruct: a study file, and arrays.
foreach(name study arrays)
  file(STRINGS ${source}/library/${name}.cc lines)
  list(LENGTH lines count)
  if(count GREATER 15)
    message(FATAL_ERROR "${name}.cc: expected at most 15 lines, found ${count}")
  endif()
endforeach()
run(${prefix}/bin/firm simulate --out ${work}/study --size 24 --angles 8 --noise 0.01)
run(${work}/library/study ${work}/study/study.toml)
if(NOT output MATCHES "^0 1 .*xrf-1 576 xrf-2 576 xrf-3 576 xrt 576 1 [0-9.e-]+\n$")
  message(FATAL_ERROR "study printed:\n${output}")
endif()
run(${work}/library/arrays)
if(NOT output MATCHES "^(1\\.9|2|2\\.0)[0-9]*\n$")
  message(FATAL_ERROR "arrays printed:\n${output}")
endif()

# find_package(firm COMPONENTS ...) refuses what is not installed.
file(WRITE ${work}/unknown/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(unknown LANGUAGES NONE)\n"
     "find_package(firm COMPONENTS tomography)\n"
     "if(firm_FOUND)\n  message(FATAL_ERROR found)\nendif()\n")
run(${CMAKE_COMMAND} -S ${work}/unknown -B ${work}/unknown/build -G ${generator}
    -D CMAKE_PREFIX_PATH=${prefix})

# check_pkg_config(<module> <archive>): links every object of the archive, so that a library missing
# from the module's file is noticed whatever the consumer calls.
function(check_pkg_config module archive)
  run(${pkg_config} --static --cflags --libs ${module})
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(${compiler} -std=c++20 ${source}/projector/main.cc -o ${work}/by-${module}
      -Wl,--whole-archive ${prefix}/${libdir}/${archive} -Wl,--no-whole-archive ${flags})
  check_consumer(${work}/by-${module})
endfunction()
set(ENV{PKG_CONFIG_PATH} ${prefix}/${libdir}/pkgconfig)
check_pkg_config(firm libfirm.a)
check_pkg_config(firm-tomo libfirm_tomo.a)
check_projector_alone(${work}/by-firm-tomo)
