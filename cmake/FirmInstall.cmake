# The installed tree: the programs, the static libraries, their headers, and the files by which CMake
# and pkg-config link them. The dependencies of a static library reach whoever links it, so
# firmConfig.cmake.in, firm.pc.in and firm-tomo.pc.in name them again (tests/install checks all three).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(FIRM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/firm)
set(FIRM_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# The .pc files find the prefix from their own place, so that the tree can be moved.
file(RELATIVE_PATH FIRM_PREFIX_FROM_PKGCONFIG /${FIRM_PKGCONFIG_DIR} /)
string(REGEX REPLACE "/$" "" FIRM_PREFIX_FROM_PKGCONFIG ${FIRM_PREFIX_FROM_PKGCONFIG})

install(TARGETS firm_tomo EXPORT firmTomoTargets)
install(TARGETS firm EXPORT firmTargets)
install(TARGETS firm_cli firm_mpi)
install(DIRECTORY include/firm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/firm/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/firm)

install(EXPORT firmTomoTargets NAMESPACE firm:: DESTINATION ${FIRM_CMAKE_DIR})
install(EXPORT firmTargets NAMESPACE firm:: DESTINATION ${FIRM_CMAKE_DIR})
configure_package_config_file(cmake/firmConfig.cmake.in ${PROJECT_BINARY_DIR}/firmConfig.cmake
                              INSTALL_DESTINATION ${FIRM_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/firmConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/firmConfig.cmake ${PROJECT_BINARY_DIR}/firmConfigVersion.cmake
        DESTINATION ${FIRM_CMAKE_DIR})

foreach(module firm firm-tomo)
  configure_file(cmake/${module}.pc.in ${PROJECT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${FIRM_PKGCONFIG_DIR})
endforeach()
