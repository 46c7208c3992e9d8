#include "firm/block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "firm/buffer.h"

namespace firm {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

bool is_aligned(const void* memory, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

template <typename Range>
bool all_zero(const Range& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return v == 0; });
}

TEST(Pages, NoneForNoBytes) {
  EXPECT_EQ(allocate_pages(0), nullptr);
  free_pages(nullptr, 0);
}

TEST(Pages, AreAlignedAndZeroed) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, std::size_t{100}, kHugePage - 1,
                                  kHugePage, kHugePage + 1}) {
    auto* memory = static_cast<unsigned char*>(allocate_pages(bytes));
    EXPECT_TRUE(is_aligned(memory, bytes < kHugePage ? 64 : kHugePage)) << bytes;
    EXPECT_TRUE(std::all_of(memory, memory + bytes, [](unsigned char b) { return b == 0; }))
        << bytes;
    free_pages(memory, bytes);
  }
}

TEST(Buffer, DefaultIsEmpty) {
  const Buffer<float> buffer;
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(buffer.data(), nullptr);
}

TEST(Buffer, CopyIsIndependent) {
  Buffer<int> original(3);
  original.data()[2] = 7;
  Buffer<int> copy = original;
  original.data()[2] = 8;
  EXPECT_EQ(copy.size(), 3u);
  EXPECT_EQ(copy.data()[2], 7);

  copy = original;
  EXPECT_EQ(copy.data()[2], 8);
  EXPECT_NE(copy.data(), original.data());
}

TEST(Buffer, CopyOfAnEmptyOneIsEmpty) {
  const Buffer<int> empty;
  Buffer<int> copy(5);
  copy = empty;
  EXPECT_EQ(copy.size(), 0u);
  EXPECT_EQ(copy.data(), nullptr);
}

TEST(Buffer, SelfAssignmentChangesNothing) {
  Buffer<int> buffer(2);
  buffer.data()[1] = 5;
  const Buffer<int>& same = buffer;
  buffer = same;
  ASSERT_EQ(buffer.size(), 2u);
  EXPECT_EQ(buffer.data()[1], 5);
}

TEST(Buffer, MoveHandsOverTheMemory) {
  Buffer<int> source(4);
  const int* memory = source.data();
  Buffer<int> target = std::move(source);
  EXPECT_EQ(target.data(), memory);
  EXPECT_EQ(target.size(), 4u);
  EXPECT_EQ(source.size(), 0u);  // NOLINT(bugprone-use-after-move): an empty buffer is promised
  EXPECT_EQ(source.data(), nullptr);
}

TEST(Buffer, MoveAssignmentHandsOverTheMemory) {
  Buffer<int> source(4);
  const int* memory = source.data();
  Buffer<int> target(9);
  target = std::move(source);
  EXPECT_EQ(target.data(), memory);
  EXPECT_EQ(target.size(), 4u);
  EXPECT_EQ(source.size(), 0u);  // NOLINT(bugprone-use-after-move): an empty buffer is promised
}

TEST(Block, DefaultIsEmpty) {
  const Block block;
  EXPECT_EQ(block.rows(), 0u);
  EXPECT_EQ(block.columns(), 0u);
  EXPECT_EQ(block.size(), 0u);
  EXPECT_TRUE(block.values().empty());
}

TEST(Block, StartsAtZero) {
  const Block block(5, 3);
  EXPECT_EQ(block.rows(), 5u);
  EXPECT_EQ(block.columns(), 3u);
  EXPECT_EQ(block.size(), 15u);
  EXPECT_TRUE(all_zero(block.values()));
}

TEST(Block, ColumnsAreInnermost) {
  Block block(2, 3);
  block(1, 2) = 4;
  block(0, 1) = 5;
  EXPECT_EQ(block.data()[1 * 3 + 2], 4);
  EXPECT_EQ(block.data()[1], 5);
  EXPECT_EQ(&block(1, 0), &block(0, 2) + 1);
}

TEST(Block, ValuesAreTheEntriesInMemoryOrder) {
  Block block(2, 2);
  std::ranges::fill(block.values(), 1.5f);
  const Block& read = block;
  EXPECT_EQ(read.values().size(), 4u);
  EXPECT_EQ(read.values().data(), read.data());
  EXPECT_EQ(read(1, 1), 1.5f);
}

TEST(Block, MayHaveRowsWithoutColumns) {
  const Block block(4, 0);
  EXPECT_EQ(block.rows(), 4u);
  EXPECT_TRUE(block.values().empty());
}

TEST(Block, CopyIsIndependent) {
  Block block(2, 2);
  block(0, 1) = 3;
  const Block copy = block;
  block(0, 1) = 4;
  EXPECT_EQ(copy.rows(), 2u);
  EXPECT_EQ(copy.columns(), 2u);
  EXPECT_EQ(copy(0, 1), 3);
}

}  // namespace
}  // namespace firm
