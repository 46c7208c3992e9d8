# Tests of the Python package, python/tests/, in the interpreter that it is built for.
set(python_tests ${PROJECT_SOURCE_DIR}/python/tests)
set(python_environment
  PYTHONPATH=${PROJECT_BINARY_DIR}/python-module/package
  PYTHONDONTWRITEBYTECODE=1
  FIRM_PROGRAM=$<TARGET_FILE:firm_cli>)

# firm_python_test(<name> <label> <argument>...)
function(firm_python_test name label)
  add_test(NAME python.${name} COMMAND ${FIRM_PYTHON} ${ARGN} WORKING_DIRECTORY ${python_tests})
  set_tests_properties(python.${name} PROPERTIES
    LABELS ${label} ${FIRM_TEST_PROPERTIES} ENVIRONMENT "${python_environment}")
endfunction()

firm_python_test(recon fast test_recon.py)
firm_python_test(tools fast test_tools.py)
firm_python_test(package fast test_package.py ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
firm_python_test(notebooks fast test_notebooks.py ${PROJECT_SOURCE_DIR}/examples)
# Compiles the package from the sources, as pip does for a user.
firm_python_test(pip long test_pip_long.py ${PROJECT_SOURCE_DIR})
set_tests_properties(python.pip PROPERTIES TIMEOUT 3600)

# Debian packages, in a new Debian.
add_test(NAME package COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package_long.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(package PROPERTIES LABELS long TIMEOUT 7200 SKIP_RETURN_CODE 77)
