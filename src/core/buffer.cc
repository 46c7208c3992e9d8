#include "firm/buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace firm {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

bool is_large(std::size_t bytes) { return bytes >= kHugePage; }

// The system zeroes each page when it is first touched. To align the block, maps more than is
// needed and returns both ends.
void* map_huge(std::size_t bytes) {
  const std::size_t rounded = round_up(bytes, kHugePage);
  void* mapped = mmap(nullptr, rounded + kHugePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<char*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const std::size_t before = round_up(address, kHugePage) - address;
  if (before > 0) munmap(first, before);
  munmap(first + before + rounded, kHugePage - before);
  // If refused, pages are small: slower, not wrong.
  static_cast<void>(madvise(first + before, rounded, MADV_HUGEPAGE));
  return first + before;
}

}  // namespace

void* allocate_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (is_large(bytes)) return map_huge(bytes);
  const std::size_t rounded = round_up(bytes, kCacheLine);
  void* memory = std::aligned_alloc(kCacheLine, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return memory;
}

void free_pages(void* memory, std::size_t bytes) {
  if (is_large(bytes)) {
    munmap(memory, round_up(bytes, kHugePage));
  } else {
    std::free(memory);
  }
}

}  // namespace firm
