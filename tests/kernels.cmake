# Runs the numeric tests once for each projector kernel, so that a green run on one processor means
# green on all. The tests are named kernel.<kernel>.<folder>; ctest reports those of a kernel that the
# processor lacks as skipped.
set(vector_kernels strip-neon)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(vector_kernels strip-avx512 strip-avx2 strip-sse4)
endif()
set(strip_kernels ${vector_kernels} strip-scalar)
set(kernels ${strip_kernels} reference)

# firm_kernel_tests(<folder> <GoogleTest filter> <kernel>...)
function(firm_kernel_tests folder filter)
  foreach(kernel ${ARGN})
    set(name kernel.${kernel}.${folder})
    add_test(NAME ${name}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/with_kernel.sh $<TARGET_FILE:firm_cli> ${kernel}
              $<TARGET_FILE:${folder}_tests> ${filter})
    set_tests_properties(${name} PROPERTIES LABELS fast COST 50 SKIP_RETURN_CODE 77 ${FIRM_TEST_PROPERTIES})
  endforeach()
endfunction()

# Kernels/* run every kernel in the plain test program already.
firm_kernel_tests(tomo "-Kernels/*" ${kernels})
# Filters leave out the longest tests, and for the slow scalar kernel more of them.
set(longest_solve_tests "PixelProjection.*:Run.*BothStages*:UncoupledSite.LeavesOthersAloneWithPrior")
firm_kernel_tests(solve "-Weights.NeededOnlyByTheirSite:${longest_solve_tests}" ${vector_kernels})
string(JOIN ":" long_solve_tests
  ${longest_solve_tests} Weights.* Optimum.ReachedWithDifferentGeometries* Run.IsIndependentOfThreads
  UncoupledSite.* RunPrior.FindsStrengthNearBestOne PrimalDual.ReachesOptimum*)
firm_kernel_tests(solve "-${long_solve_tests}" strip-scalar)
firm_kernel_tests(prep "PrepareGeometry.*:RotationAxisTest.FindsAxisInFew*" ${vector_kernels})
firm_kernel_tests(prep "PrepareGeometry.*" strip-scalar)
firm_kernel_tests(physics "*" ${strip_kernels})
firm_kernel_tests(sim "Simulate.*" ${kernels})
firm_kernel_tests(run "*" ${vector_kernels})
firm_kernel_tests(run "-Defaults.*:Fit.*:Twin.FindsTheLag*:Twin.Refuses*" strip-scalar)
firm_kernel_tests(run "LibraryTest.*:Twin.FindsVerticalShifts" reference)
# The program, where a test compares bytes of two runs.
string(JOIN ":" byte_tests
  All/MethodOverProcesses.GivesSameBytes/0
  ChunkedRun.GivesImagesOfSlicesSolvedAlone
  FileLayouts.Npy
  Recon.GivesSameBytesWithAnyThreads)
string(JOIN ":" more_byte_tests
  ${byte_tests} SlicesOverProcesses.GiveSameBytes* Recon.ResumesAfterLimitToSameBytes)
firm_kernel_tests(cli "${more_byte_tests}" ${vector_kernels})
firm_kernel_tests(cli "${byte_tests}" strip-scalar)
