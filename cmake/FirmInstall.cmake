# The installed tree: the program, the static library, its headers, and what CMake and pkg-config
# need to link it. The library's own dependencies are private, but a static library hands them on:
# they are named once more in firmConfig.cmake.in and firm.pc.in (tests/install checks both).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(FIRM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/firm)
set(FIRM_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# firm.pc finds its prefix from where it lies, so that the tree can be moved.
file(RELATIVE_PATH FIRM_PREFIX_FROM_PKGCONFIG /${FIRM_PKGCONFIG_DIR} /)
string(REGEX REPLACE "/$" "" FIRM_PREFIX_FROM_PKGCONFIG ${FIRM_PREFIX_FROM_PKGCONFIG})

install(TARGETS firm_tomo firm EXPORT firmTargets)
install(TARGETS firm_cli firm_mpi)
install(DIRECTORY include/firm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/firm/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/firm)

install(EXPORT firmTargets NAMESPACE firm:: DESTINATION ${FIRM_CMAKE_DIR})
configure_package_config_file(cmake/firmConfig.cmake.in ${PROJECT_BINARY_DIR}/firmConfig.cmake
                              INSTALL_DESTINATION ${FIRM_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/firmConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/firmConfig.cmake ${PROJECT_BINARY_DIR}/firmConfigVersion.cmake
        DESTINATION ${FIRM_CMAKE_DIR})

configure_file(cmake/firm.pc.in ${PROJECT_BINARY_DIR}/firm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/firm.pc DESTINATION ${FIRM_PKGCONFIG_DIR})
