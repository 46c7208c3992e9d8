# The page of web/: npm packages are installed into the build tree, the page is bundled into one file,
# and that becomes the source FIRM_PAGE_SOURCE of the library.
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

# Whether the page is tested here, in a browser. It is the same whatever sanitizes the C++.
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

file(GLOB web_sources CONFIGURE_DEPENDS ${FIRM_WEB}/src/*)
add_custom_command(
  OUTPUT ${FIRM_PAGE_SOURCE} ${FIRM_WEB_BUILD}/page.html
  COMMAND ${FIRM_NODE} ${FIRM_WEB}/build.mjs page ${FIRM_WEB_BUILD}
  DEPENDS ${FIRM_WEB_INSTALLED} ${FIRM_WEB}/build.mjs ${web_sources}
  COMMENT "Bundling the page"
  VERBATIM)
add_custom_target(web_bundle DEPENDS ${FIRM_PAGE_SOURCE})

# For ./dev lint: where tsc finds the packages.
configure_file(${FIRM_WEB}/tsconfig.build.json.in ${FIRM_WEB_BUILD}/tsconfig.json @ONLY)
