// Blocks over memory of the caller: no alignment is needed, and nothing beside it is touched.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "firm/projector.h"

namespace firm {
namespace {

// Floats that end where memory that can be read ends.
class Guarded {
 public:
  explicit Guarded(std::size_t count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = (count * sizeof(float) + page - 1) / page * page;
    size_ = bytes + page;
    memory_ = static_cast<char*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + bytes, page, PROT_NONE);
    values_ = reinterpret_cast<float*>(memory_ + bytes) - count;
  }
  ~Guarded() { munmap(memory_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  float* values() { return values_; }

 private:
  char* memory_;
  std::size_t size_;
  float* values_;
};

void fill(Block& block) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (float& value : block.values()) value = uniform(random);
}

void expect_same(const Block& a, const Block& b) {
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(float)));
}

TEST(BlockView, GivesSameBytesAtTheEndOfMemory) {
  const Geometry g = paper_geometry(37, 11);
  for (const std::string& kernel : kernel_names()) {
    for (const std::size_t columns : {1, 2, 3, 7, 16}) {
      const auto projector =
          make_projector(g, {.kernel = kernel, .columns = static_cast<int>(columns)});
      Block x(g.pixels(), columns);
      Block y(g.rays(), columns);
      fill(x);
      projector->forward(x, y);
      Block back(g.pixels(), columns);
      projector->adjoint(y, back);

      Guarded x_memory(x.size());
      Guarded y_memory(y.size());
      Guarded back_memory(back.size());
      Block x_view = Block::view(x_memory.values(), x.rows(), columns);
      Block y_view = Block::view(y_memory.values(), y.rows(), columns);
      Block back_view = Block::view(back_memory.values(), back.rows(), columns);
      fill(x_view);
      projector->forward(x_view, y_view);
      projector->adjoint(y_view, back_view);
      expect_same(y, y_view);
      expect_same(back, back_view);
    }
  }
}

TEST(BlockView, IsCopiedDeeply) {
  float values[4] = {1, 2, 3, 4};
  const Block view = Block::view(values, 2, 2);
  const Block copy = view;
  values[3] = 5;
  EXPECT_EQ(view(1, 1), 5);
  EXPECT_EQ(copy(1, 1), 4);
}

}  // namespace
}  // namespace firm
