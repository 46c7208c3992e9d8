find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(hdf5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(xrl REQUIRED IMPORTED_TARGET libxrl)
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo)
pkg_check_modules(tiff REQUIRED IMPORTED_TARGET libtiff-4>=4.5)
pkg_check_modules(crypto REQUIRED IMPORTED_TARGET libcrypto)
find_package(nlohmann_json REQUIRED)
if(FIRM_PYTHON_ONLY)
  return()
endif()
pkg_check_modules(mpi REQUIRED IMPORTED_TARGET ompi-c)  # only firm-mpi links it
find_package(CLI11 REQUIRED)

# Optional: the general solver to which src/paper compares FIRM's.
pkg_check_modules(ipopt ipopt)
if(ipopt_FOUND)
  # Links libipopt.so alone: the development files of its own dependencies may be missing.
  find_library(FIRM_IPOPT_LIBRARY ipopt REQUIRED HINTS ${ipopt_LIBRARY_DIRS})
endif()
