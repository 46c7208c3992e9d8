# Installs the npm packages of web/ into the build tree, bundles the page into one file, and makes it
# the source FIRM_PAGE_SOURCE of the library.
find_program(FIRM_NODE NAMES node nodejs DOC "Node.js, 18 or newer" REQUIRED)
find_program(FIRM_NPM NAMES npm DOC "npm, which installs the packages of web/package.json" REQUIRED)
execute_process(COMMAND ${FIRM_NODE} --version OUTPUT_VARIABLE node_version
                OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "v" "" node_version "${node_version}")
if(node_version VERSION_LESS 18)
  message(FATAL_ERROR "${FIRM_NODE}: expected version 18 or newer, found ${node_version}")
endif()

set(FIRM_WEB ${PROJECT_SOURCE_DIR}/web)
set(FIRM_WEB_BUILD ${PROJECT_BINARY_DIR}/web)
set(FIRM_PAGE_SOURCE ${FIRM_WEB_BUILD}/page_bundle.cc)
set(FIRM_WEB_INSTALLED ${FIRM_WEB_BUILD}/installed)

# Whether to test the page in a browser. Sanitizers of C++ do not change the page.
set(FIRM_TEST_PAGE OFF)
if(FIRM_BUILD_TESTS AND NOT FIRM_SANITIZE)
  set(FIRM_TEST_PAGE ON)
endif()

set(web_packages ${FIRM_WEB}/package.json ${FIRM_WEB}/package-lock.json ${FIRM_WEB}/.npmrc)
set(web_omit --omit=dev)
if(FIRM_TEST_PAGE)
  set(web_omit)
endif()
add_custom_command(
  OUTPUT ${FIRM_WEB_INSTALLED}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${FIRM_WEB_BUILD}
  COMMAND ${CMAKE_COMMAND} -E copy ${web_packages} ${FIRM_WEB_BUILD}
  COMMAND ${CMAKE_COMMAND} -E chdir ${FIRM_WEB_BUILD}
          ${FIRM_NPM} ci --ignore-scripts --prefer-offline --loglevel=error ${web_omit}
  COMMAND ${CMAKE_COMMAND} -E touch ${FIRM_WEB_INSTALLED}
  DEPENDS ${web_packages}
  COMMENT "Installing the packages of web/package.json"
  VERBATIM)

file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${FIRM_WEB}/src/*)
add_custom_command(
  OUTPUT ${FIRM_PAGE_SOURCE} ${FIRM_WEB_BUILD}/page.html
  COMMAND ${FIRM_NODE} ${FIRM_WEB}/build.mjs page ${FIRM_WEB_BUILD}
  DEPENDS ${FIRM_WEB_INSTALLED} ${FIRM_WEB}/build.mjs ${web_sources}
  COMMENT "Bundling the page"
  VERBATIM)
add_custom_target(web_bundle DEPENDS ${FIRM_PAGE_SOURCE})

# Tells tsc (./dev lint) where the packages are.
configure_file(${FIRM_WEB}/tsconfig.build.json.in ${FIRM_WEB_BUILD}/tsconfig.json @ONLY)
