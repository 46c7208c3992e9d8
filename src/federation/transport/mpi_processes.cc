#include "federation/transport/mpi_processes.h"

#include <mpi.h>

#include <algorithm>
#include <cstdio>

#include "firm/error.h"

namespace firm {
namespace {

constexpr std::size_t kAtOnce = std::size_t{1} << 28;  // MPI counts are int

void add_scalars(void* from, void* into, int* count, MPI_Datatype* /*type*/) {
  const auto size = static_cast<std::size_t>(*count);
  add(std::span(static_cast<const ScalarWord*>(from), size),
      std::span(static_cast<ScalarWord*>(into), size));
}

const char* level_name(int level) {
  return level == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED" : "MPI_THREAD_SINGLE";
}

}  // namespace

struct MpiProcesses::Handles {
  MPI_Comm group = MPI_COMM_WORLD;  // processes with the same slices, other sites
  MPI_Comm slices = MPI_COMM_SELF;  // processes with the same site, other slices
  MPI_Datatype scalar = MPI_DATATYPE_NULL;
  MPI_Op add = MPI_OP_NULL;
};

MpiProcesses::MpiProcesses() : handles_(std::make_unique<Handles>()) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED) {
    MPI_Finalize();
    throw usage_error({"MPI", "threads",
                       "a library with MPI_THREAD_SERIALIZED: the sites of a process are threads",
                       level_name(provided)});
  }
  int rank = 0;
  int count = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  rank_ = static_cast<std::size_t>(rank);
  count_ = static_cast<std::size_t>(count);
  MPI_Type_contiguous(static_cast<int>(ScalarWord{}.size()), MPI_UINT64_T, &handles_->scalar);
  MPI_Type_commit(&handles_->scalar);
  MPI_Op_create(add_scalars, 1, &handles_->add);
}

MpiProcesses::~MpiProcesses() {
  MPI_Op_free(&handles_->add);
  MPI_Type_free(&handles_->scalar);
  if (handles_->group != MPI_COMM_WORLD) MPI_Comm_free(&handles_->group);
  if (handles_->slices != MPI_COMM_SELF) MPI_Comm_free(&handles_->slices);
  MPI_Finalize();
}

void MpiProcesses::split(std::size_t group) {
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(group), static_cast<int>(rank_),
                 &handles_->group);
  int place = 0;
  MPI_Comm_rank(handles_->group, &place);
  MPI_Comm_split(MPI_COMM_WORLD, place, static_cast<int>(rank_), &handles_->slices);
}

void MpiProcesses::add(std::span<std::uint32_t> words, std::span<ScalarWord> scalars) {
  for (std::size_t k = 0; k < words.size(); k += kAtOnce) {
    const auto count = static_cast<int>(std::min(kAtOnce, words.size() - k));
    MPI_Allreduce(MPI_IN_PLACE, words.data() + k, count, MPI_UINT32_T, MPI_SUM, handles_->group);
  }
  MPI_Allreduce(MPI_IN_PLACE, scalars.data(), static_cast<int>(scalars.size()), handles_->scalar,
                handles_->add, handles_->group);
}

void MpiProcesses::add_slices(std::span<ScalarWord> scalars) {
  MPI_Allreduce(MPI_IN_PLACE, scalars.data(), static_cast<int>(scalars.size()), handles_->scalar,
                handles_->add, handles_->slices);
}

int MpiProcesses::largest_of_slices(int number) {
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, handles_->slices);
  return number;
}

void MpiProcesses::largest(std::span<int> numbers) {
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT, MPI_MAX,
                MPI_COMM_WORLD);
}

std::uint64_t MpiProcesses::add_on_machine(std::uint64_t bytes) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_SUM, machine);
  MPI_Comm_free(&machine);
  return bytes;
}

std::vector<std::string> MpiProcesses::gather(const std::string& bytes) {
  std::uint64_t size = bytes.size();
  if (rank_ != 0) {
    MPI_Send(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    for (std::size_t k = 0; k < size; k += kAtOnce) {
      const auto count = static_cast<int>(std::min<std::size_t>(kAtOnce, size - k));
      MPI_Send(bytes.data() + k, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return {};
  }
  std::vector<std::string> all = {bytes};
  for (int from = 1; from < static_cast<int>(count_); ++from) {
    MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::string& text = all.emplace_back(size, '\0');
    for (std::size_t k = 0; k < size; k += kAtOnce) {
      const auto count = static_cast<int>(std::min<std::size_t>(kAtOnce, size - k));
      MPI_Recv(text.data() + k, count, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return all;
}

void MpiProcesses::abandon(const std::string& reason, int exit_code) {
  std::fputs(("firm: error: " + reason + "\n").c_str(), stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace firm
