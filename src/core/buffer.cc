#include "firm/buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace firm {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

bool is_large(std::size_t bytes) { return bytes >= kHugePage; }

}  // namespace

void* allocate_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::size_t alignment = is_large(bytes) ? kHugePage : kCacheLine;
  const std::size_t rounded = round_up(bytes, alignment);
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  // A refusal only means small pages: slower, not wrong.
  if (is_large(bytes)) static_cast<void>(madvise(memory, rounded, MADV_HUGEPAGE));
  std::memset(memory, 0, rounded);
  return memory;
}

void free_pages(void* memory) { std::free(memory); }

}  // namespace firm
