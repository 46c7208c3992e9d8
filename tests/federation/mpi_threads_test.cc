// A fake MPI library, linked instead of the real one, that supports only one thread.
#include <gtest/gtest.h>
#include <mpi.h>

#include "federation/transport/mpi_processes.h"
#include "firm/error.h"
#include "support/temporary_directory.h"

namespace {

int level = MPI_THREAD_SINGLE;
int finalized = 0;

}  // namespace

int MPI_Init_thread(int* /*argc*/, char*** /*argv*/, int /*required*/, int* provided) {
  *provided = level;
  return MPI_SUCCESS;
}

int MPI_Finalize() {
  ++finalized;
  return MPI_SUCCESS;
}

namespace firm {
namespace {

TEST(MpiProcesses, RefuseLibraryForOneThread) {
  for (const int provided : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED}) {
    level = provided;
    finalized = 0;
    try {
      const MpiProcesses processes;
      ADD_FAILURE() << provided;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kUsage);
      EXPECT_CONTAINS(std::string(error.what()), "expected a library with MPI_THREAD_SERIALIZED");
      EXPECT_CONTAINS(std::string(error.what()),
                      provided == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED");
    }
    EXPECT_EQ(finalized, 1);
  }
}

}  // namespace
}  // namespace firm
