// Turns the keys of protocol_vectors.json into firm's own objects.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "federation/protocol/key_exchange.h"
#include "federation/secure/bytes.h"
#include "federation/secure/masking.h"
#include "support/temporary_directory.h"

namespace firm {

class ProtocolVectors : public ::testing::Test {
 protected:
  const nlohmann::json& keys() const { return vectors_.at("keys"); }

  v1::Begin begin() const {
    v1::Begin message;
    message.set_run(keys().at("run"));
    message.set_attempt(keys().at("attempt"));
    message.set_round(keys().at("round"));
    for (const std::string name : keys().at("roster")) message.add_members()->set_site(name);
    return message;
  }
  Membership member(const std::string& name) const {
    return membership(keys().at("study"), begin(), name);
  }
  Secret key(const char* kind, const std::string& name) const {
    return secret(unhex(keys().at(kind).at(name).get<std::string>()));
  }
  // The secret that the site shares with the peer.
  Secret pair(const std::string& name, const std::string& peer) const {
    return key("pair", std::min(name, peer) + std::max(name, peer));
  }
  Masker masker(const std::string& name) const {
    Masker::Setup setup{member(name), {}, secret(unhex(keys().at("group").get<std::string>()))};
    for (const std::string peer : keys().at("roster")) {
      if (peer != name) setup.pairs.emplace(peer, pair(name, peer));
    }
    return Masker(std::move(setup));
  }
  // The chain before the attempt, from the hashes of the sums before it.
  SumChain chain_before() const {
    SumChain chain;
    for (const std::string hash : keys().at("sums before")) chain.add(hash);
    return chain;
  }

  static std::vector<float> values_of(const nlohmann::json& sum, const std::string& site) {
    const auto& values = sum.at("values");
    if (values.is_object()) return values.at(site);
    std::vector<float> made(700);  // by the rule in the file
    const auto i = static_cast<std::size_t>(site.front() - 'a');
    for (std::size_t k = 0; k < made.size(); ++k) {
      made[k] = (static_cast<float>(k * (3 + i) % 1000) - 500) / 64;
    }
    return made;
  }

  static std::vector<ScalarWord> scalar_words(const std::string& digits) {
    const std::string bytes = unhex(digits);
    std::vector<ScalarWord> words(bytes.size() / sizeof(ScalarWord));
    std::ranges::copy(bytes_of(bytes), std::as_writable_bytes(std::span(words)).begin());
    return words;
  }

  // Bytes as they stand in the file.
  static std::string listed(const std::string& bytes) {
    return bytes.size() <= 256 ? hex(bytes_of(bytes)) : sha256(bytes);
  }
  template <typename Numbers>
  static std::string listed_bytes(const Numbers& numbers) {
    const auto bytes = std::as_bytes(std::span(numbers));
    return listed(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

  const nlohmann::json vectors_ = nlohmann::json::parse(file_content(FIRM_PROTOCOL_VECTORS));
};

}  // namespace firm
