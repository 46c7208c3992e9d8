#include "io/files/json_file.h"

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace firm {
namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(JsonFile, ReplacesBytesThatAreNotUtf8) {
  const nlohmann::ordered_json json = {{"a", "M\xfcller"}};
  EXPECT_EQ(json_text(json), "{\"a\":\"M\xef\xbf\xbdller\"}");
  EXPECT_EQ(json_text(json, 1), "{\n \"a\": \"M\xef\xbf\xbdller\"\n}");
}

TEST(JsonFile, KeepsOrderOfKeys) {
  EXPECT_EQ(json_text(parse_json("f", "{\"b\": [1, 2.5], \"a\": null}")),
            "{\"b\":[1,2.5],\"a\":null}");
}

TEST(JsonFile, RefusesOtherText) {
  for (const std::string text : {"", "{", "[1,", "nonsense", "{\"a\":1}}"}) {
    const std::string error = error_of([&] { parse_json("a.json", text); });
    EXPECT_CONTAINS(error, "a.json: expected JSON, found ");
    EXPECT_EQ(error.find("json.exception"), std::string::npos) << error;
  }
}

TEST(JsonFile, LimitsLevels) {
  EXPECT_EQ(json_text(parse_json("f", nested(60))), nested(60));
  for (const std::size_t levels : {std::size_t{100}, std::size_t{1'000'000}}) {
    EXPECT_EQ(error_of([&] { parse_json("a.json", nested(levels)); }),
              "a.json: expected JSON of at most 64 levels, found more");
    EXPECT_CONTAINS(error_of([&] { parse_json("a.json", std::string(levels, '[')); }), "levels");
  }
}

TEST(JsonFile, NamesFileWithWrongField) {
  const nlohmann::ordered_json json = {{"a", "x"}};
  const auto error = [&](const char* key) {
    return error_of(
        [&] { read_json_fields("a.json", "numbers", [&] { return json.at(key).get<int>(); }); });
  };
  EXPECT_EQ(error("b"), "a.json: expected numbers, found key 'b' not found");
  EXPECT_EQ(error("a"), "a.json: expected numbers, found type must be number, but is string");
}

}  // namespace
}  // namespace firm
