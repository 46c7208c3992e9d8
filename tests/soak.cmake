# Federations with faults, tests/soak/. The seeds are fixed; moments of faults depend on the machine.
set(soak ${CMAKE_CURRENT_SOURCE_DIR}/soak)

# firm_soak_test(<name> <label> <argument>...)
function(firm_soak_test name label)
  add_test(NAME soak.${name} COMMAND ${FIRM_VIEWER_PYTHON} ${ARGN})
  set_tests_properties(soak.${name} PROPERTIES
    LABELS ${label} ${FIRM_TEST_PROPERTIES} ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()

set(firm_soak ${soak}/soak.py --firm $<TARGET_FILE:firm_cli> --out ${PROJECT_BINARY_DIR}/soak)
firm_soak_test(itself fast ${soak}/soak_test.py $<TARGET_FILE:firm_cli>)
firm_soak_test(short fast ${firm_soak} --federations 1 --kills 3 --most-sites 3 --seed 2)
firm_soak_test(minute long ${firm_soak} --federations 3 --most-sites 6 --seed 20)
