# Tests of the page: web/test/*.test.ts, run by Node.js; unit.test.ts and live_unit.test.ts use no browser.
find_program(FIRM_CHROMIUM NAMES chromium chromium-browser google-chrome DOC "Browser for tests")
file(GLOB page_tests CONFIGURE_DEPENDS ${FIRM_WEB}/test/*.ts)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${FIRM_WEB}/src/*.ts)
set(page_test_bundles)
foreach(name unit live_unit report fit scan absorption live)
  list(APPEND page_test_bundles ${FIRM_WEB_BUILD}/test/${name}.test.mjs)
endforeach()
add_custom_command(
  OUTPUT ${page_test_bundles}
  COMMAND ${FIRM_NODE} ${FIRM_WEB}/build.mjs tests ${FIRM_WEB_BUILD}
  DEPENDS ${FIRM_WEB_INSTALLED} ${FIRM_WEB}/build.mjs ${page_tests} ${page_sources}
  COMMENT "Bundling the tests of the page"
  VERBATIM)
add_custom_target(web_tests ALL DEPENDS ${page_test_bundles})
add_dependencies(web_tests web_bundle)

add_test(NAME page.unit COMMAND ${FIRM_NODE} --test ${FIRM_WEB_BUILD}/test/unit.test.mjs
         ${FIRM_WEB_BUILD}/test/live_unit.test.mjs)
set(page_test_names page.unit)
if(FIRM_CHROMIUM)
  add_test(NAME page.browser COMMAND ${FIRM_NODE} --test ${FIRM_WEB_BUILD}/test/report.test.mjs)
  add_test(NAME page.fit COMMAND ${FIRM_NODE} --test ${FIRM_WEB_BUILD}/test/fit.test.mjs)
  add_test(NAME page.scan COMMAND ${FIRM_NODE} --test ${FIRM_WEB_BUILD}/test/scan.test.mjs)
  add_test(NAME page.absorption
           COMMAND ${FIRM_NODE} --test ${FIRM_WEB_BUILD}/test/absorption.test.mjs)
  add_test(NAME page.live COMMAND ${FIRM_NODE} --test ${FIRM_WEB_BUILD}/test/live.test.mjs)
  list(APPEND page_test_names page.browser page.fit page.scan page.absorption page.live)
  # One browser at a time: two browsers with their runs would slow each other down.
  set_tests_properties(page.browser page.fit page.scan page.absorption page.live
                       PROPERTIES RESOURCE_LOCK chromium)
else()
  message(STATUS "Chromium not found: the page will not be tested in a browser")
endif()
# Starts these long tests first, so that none of them runs alone at the end.
set_tests_properties(${page_test_names} PROPERTIES
  LABELS fast TIMEOUT 600 COST 100
  ENVIRONMENT "FIRM_PROGRAM=$<TARGET_FILE:firm_cli>;FIRM_CHROMIUM=${FIRM_CHROMIUM}")
