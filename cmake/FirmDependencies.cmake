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
pkg_check_modules(mpi REQUIRED IMPORTED_TARGET ompi-c)  # for firm-mpi alone
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# Optional: the general solver that src/paper compares with.
pkg_check_modules(ipopt ipopt)
if(ipopt_FOUND)
  # Alone: the libraries that it needs itself may be there without what one links against.
  find_library(FIRM_IPOPT_LIBRARY ipopt REQUIRED HINTS ${ipopt_LIBRARY_DIRS})
endif()
