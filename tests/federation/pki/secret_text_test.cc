// Memory of secrets after their use. Each test keeps the storage that an object had.
#include "federation/pki/secret_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string_view>

#include "federation/secure/keystream.h"

namespace firm {
namespace {

template <typename T>
struct Storage {
  alignas(T) std::array<std::byte, sizeof(T)> bytes{};

  template <typename... Arguments>
  T* make(Arguments&&... arguments) {
    return new (bytes.data()) T(std::forward<Arguments>(arguments)...);
  }
  bool holds(std::string_view text) const {
    const auto* begin = reinterpret_cast<const char*>(bytes.data());
    return std::string_view(begin, bytes.size()).find(text) != std::string_view::npos;
  }
};

// Short enough to lie in the object itself.
constexpr std::string_view kText = "top secret";

TEST(SecretText, IsWipedWhenItEnds) {
  Storage<SecretText> storage;
  SecretText* secret = storage.make(std::string(kText));
  EXPECT_TRUE(storage.holds(kText));
  std::destroy_at(secret);
  EXPECT_FALSE(storage.holds(kText.substr(0, 4)));
}

TEST(SecretText, LeavesNothingBehindWhenMoved) {
  Storage<SecretText> storage;
  SecretText* secret = storage.make(std::string(kText));
  SecretText other(std::move(*secret));
  EXPECT_EQ(other.text(), kText);
  EXPECT_FALSE(storage.holds("secret"));
  SecretText* again = storage.make(std::string(kText));
  other = std::move(*again);
  EXPECT_EQ(other.text(), kText);
  EXPECT_FALSE(storage.holds("secret"));
  std::destroy_at(again);
}

TEST(SecretText, WipesLongTextsAndWhatTheyWere) {
  std::string text(1000, 'k');
  const char* place = text.data();
  text.resize(10);
  wipe(text);
  EXPECT_TRUE(text.empty());
  ASSERT_EQ(text.data(), place);
  text.resize(10);  // zeros beyond them were there before
  EXPECT_EQ(std::count(place, place + 1000, '\0'), 1000);
}

TEST(Secret, IsWipedWhenItEndsOrMoves) {
  std::array<std::byte, Secret::kSize> key{};
  key.fill(std::byte{'k'});
  Storage<Secret> storage;
  Secret* secret = storage.make(std::span<const std::byte, Secret::kSize>(key));
  EXPECT_TRUE(storage.holds("kkkk"));
  const Secret moved(std::move(*secret));
  EXPECT_FALSE(storage.holds("kk"));
  std::destroy_at(secret);
  secret = storage.make(moved.clone());
  EXPECT_TRUE(storage.holds("kkkk"));
  std::destroy_at(secret);
  EXPECT_FALSE(storage.holds("kk"));
}

}  // namespace
}  // namespace firm
