# Runs the numeric tests once for each projector kernel, so that a green run on one processor means
# green on all. The tests are named kernel.<kernel>.<folder>; ctest reports those of a kernel that the
# processor lacks as skipped.
set(vector_kernels strip-neon)
# Of these only ./dev test --all runs everything: processors without AVX2 are more than ten years old.
set(old_kernels strip-scalar)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(vector_kernels strip-avx512 strip-avx2 strip-sse4)
  set(old_kernels strip-sse4 strip-scalar)
endif()
set(strip_kernels ${vector_kernels} strip-scalar)
set(kernels ${strip_kernels} reference)

# firm_kernel_tests(<fast or old_long> <folder> <GoogleTest filter> <kernel>...)
# old_long: those of old kernels are labelled "long".
function(firm_kernel_tests length folder filter)
  foreach(kernel ${ARGN})
    set(label fast)
    if(length STREQUAL "old_long" AND kernel IN_LIST old_kernels)
      set(label long)
    endif()
    set(name kernel.${kernel}.${folder})
    add_test(NAME ${name}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/with_kernel.sh $<TARGET_FILE:firm_cli> ${kernel}
              $<TARGET_FILE:${folder}_tests> ${filter})
    set_tests_properties(${name} PROPERTIES
      LABELS ${label} COST 50 SKIP_RETURN_CODE 77 ${FIRM_TEST_PROPERTIES})
  endforeach()
endfunction()

# Kernels/* run every kernel in the plain test program already.
firm_kernel_tests(fast tomo "-Kernels/*" ${kernels})
firm_kernel_tests(fast physics "*" ${strip_kernels})
firm_kernel_tests(fast sim "Simulate.*" ${kernels})
firm_kernel_tests(fast prep "PrepareGeometry.*:RotationAxisTest.FindsAxisInFew*" ${vector_kernels})
firm_kernel_tests(fast prep "PrepareGeometry.*" strip-scalar)
# Filters leave out the longest tests, and for the slow scalar kernel more of them.
set(longest_solve_tests "PixelProjection.*:Run.*BothStages*:UncoupledSite.LeavesOthersAloneWithPrior")
firm_kernel_tests(old_long solve "-Weights.NeededOnlyByTheirSite:${longest_solve_tests}"
  ${vector_kernels})
string(JOIN ":" long_solve_tests
  ${longest_solve_tests} Weights.* Optimum.ReachedWithDifferentGeometries* Run.IsIndependentOfThreads
  UncoupledSite.* RunPrior.FindsStrengthNearBestOne PrimalDual.ReachesOptimum*)
firm_kernel_tests(old_long solve "-${long_solve_tests}" strip-scalar)
firm_kernel_tests(old_long run "*" ${vector_kernels})
firm_kernel_tests(old_long run "-Defaults.*:Fit.*:Twin.FindsTheLag*:Twin.Refuses*" strip-scalar)
firm_kernel_tests(fast run "LibraryTest.*:Twin.FindsVerticalShifts" reference)
# The program, where a test compares bytes of two runs.
string(JOIN ":" byte_tests
  All/MethodOverProcesses.GivesSameBytes/0
  ChunkedRun.GivesImagesOfSlicesSolvedAlone
  FileLayouts.Npy
  Recon.GivesSameBytesWithAnyThreads)
string(JOIN ":" more_byte_tests
  ${byte_tests} SlicesOverProcesses.GiveSameBytes* Recon.ResumesAfterLimitToSameBytes)
firm_kernel_tests(old_long cli "${more_byte_tests}" ${vector_kernels})
firm_kernel_tests(old_long cli "${byte_tests}" strip-scalar)
