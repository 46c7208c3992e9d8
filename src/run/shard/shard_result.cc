#include "run/shard/shard_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "firm/error.h"
#include "io/files/json_file.h"
#include "io/hdf5/hdf5.h"
#include "run/shard/summary_codec.h"

namespace firm {
namespace {

using Json = nlohmann::json;

constexpr const char* kSummary = "/entry/process/summary";

template <typename Values>
Json bytes_json(const Values& values) {
  const auto bytes = std::as_bytes(std::span(values));
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary({data, data + bytes.size()});
}

void copy_bytes(const Json::binary_t& from, std::span<std::byte> to) {
  FIRM_CHECK(from.size() == to.size());
  std::ranges::copy(std::as_bytes(std::span(from)), to.begin());
}

Json block_json(const Block& block) {
  return {
      {"rows", block.rows()}, {"columns", block.columns()}, {"values", bytes_json(block.values())}};
}

Block block_from(const Json& json) {
  Block block(json.at("rows"), json.at("columns"));
  copy_bytes(json.at("values").get_binary(), std::as_writable_bytes(block.values()));
  return block;
}

Json attenuation_json(const std::vector<AttenuationImages>& attenuation) {
  Json all = Json::array();
  for (const AttenuationImages& a : attenuation) {
    all.push_back(
        {{"site", a.site}, {"incident", block_json(a.incident)}, {"line", block_json(a.line)}});
  }
  return all;
}

std::vector<AttenuationImages> attenuation_from(const Json& json) {
  std::vector<AttenuationImages> all;
  for (const Json& a : json) {
    all.push_back({a.at("site"), block_from(a.at("incident")), block_from(a.at("line"))});
  }
  return all;
}

Json variables_json(const std::vector<Variable>& variables) {
  Json all = Json::array();
  for (const Variable& v : variables) {
    all.push_back({v.name, v.slot, v.measured, v.transmission, v.d});
  }
  return all;
}

std::vector<Variable> variables_from(const Json& json) {
  std::vector<Variable> variables;
  for (const Json& v : json) {
    Variable& one = variables.emplace_back();
    one.name = v.at(0);
    one.slot = v.at(1);
    one.measured = v.at(2);
    one.transmission = v.at(3);
    one.d = v.at(4);
  }
  return variables;
}

// Everything but images, multiplier, attenuation and rounds.
Json description_json(const ShardResult& r) {
  return {{"shard", {r.shard.sites, r.shard.slices.first, r.shard.slices.count, r.shard.group}},
          {"variables", variables_json(r.variables)},
          {"fingerprints", r.fingerprints},
          {"identity", r.identity},
          {"stop", r.stop},
          {"history", r.history},
          {"summary", summary_to_json(r.summary())}};
}

ShardResult description_from(const Json& json) {
  ShardResult r;
  const Json& shard = json.at("shard");
  r.shard = {shard.at(0).get<std::vector<std::size_t>>(), {shard.at(1), shard.at(2)}, shard.at(3)};
  r.variables = variables_from(json.at("variables"));
  r.fingerprints = json.at("fingerprints").get<std::vector<std::string>>();
  r.identity = json.at("identity");
  r.stop = json.at("stop");
  r.history = json.at("history");
  r.solution.summary = summary_from_json(json.at("summary"));
  return r;
}

}  // namespace

std::string to_bytes(const std::vector<ShardResult>& results) {
  Json all = Json::array();
  for (const ShardResult& r : results) {
    Json json = description_json(r);
    json["rounds"] = bytes_json(r.rounds.numbers());
    json["images"] = block_json(r.solution.images);
    json["multiplier"] = block_json(r.solution.multiplier);
    json["attenuation"] = attenuation_json(r.solution.attenuation);
    all.push_back(std::move(json));
  }
  const std::vector<std::uint8_t> bytes = Json::to_cbor(all);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<ShardResult> results_from_bytes(const std::string& bytes) {
  std::vector<ShardResult> results;
  for (const Json& json : Json::from_cbor(bytes)) {
    ShardResult& r = results.emplace_back(description_from(json));
    const auto& packed = json.at("rounds").get_binary();
    std::vector<double> numbers(packed.size() / sizeof(double));
    copy_bytes(packed, std::as_writable_bytes(std::span(numbers)));
    r.rounds = ShardRounds(r.variables.size(), std::move(numbers));
    r.solution.images = block_from(json.at("images"));
    r.solution.multiplier = block_from(json.at("multiplier"));
    r.solution.attenuation = attenuation_from(json.at("attenuation"));
  }
  return results;
}

void write_result(const std::string& path, const ImageGrid& grid, const ShardResult& result) {
  const RunImages images = images_of(result.solution);
  const std::string text = json_text(description_json(result));
  write_images(path, grid, image_stacks(result.variables, images.variables),
               {"", text, further_stacks(images)});
}

ShardResult read_result(const std::string& path) {
  const std::string text = h5::Reader(path).text(kSummary);
  try {
    return description_from(Json::parse(text));
  } catch (const Json::exception& e) {
    throw data_error({path, kSummary, "the result of a shard", e.what()});
  }
}

std::string stop_text(const SolveOptions& options) {
  std::string text;
  for (const OptionText& option : describe_options(options)) {
    if (option.key.starts_with("stop.")) text += fmt::format("{} = {}\n", option.key, option.value);
  }
  return text;
}

}  // namespace firm
