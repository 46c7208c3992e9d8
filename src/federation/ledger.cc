#include "federation/ledger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/sha256.h"
#include "firm/error.h"

namespace firm {
namespace {

std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), milliseconds);
}

// The name of the message's field in SiteMessage: "share".
std::string kind_of(const v1::SiteMessage& message) {
  const auto* oneof = v1::SiteMessage::descriptor()->oneof_decl(0);
  const auto* field = v1::SiteMessage::GetReflection()->GetOneofFieldDescriptor(message, oneof);
  return field == nullptr ? "none" : field->name();
}

std::pair<std::uint32_t, std::uint64_t> place_of(const v1::SiteMessage& message) {
  if (message.has_share()) {
    return {message.share().position().attempt(), message.share().position().exchange()};
  }
  if (message.has_range()) {
    return {message.range().position().attempt(), message.range().position().exchange()};
  }
  return {};
}

}  // namespace

Ledger::Ledger(std::string path) : path_(std::move(path)) {
  count_lines();
  file_.reset(std::fopen(path_.c_str(), "ab"));
  if (!file_ || (cut_off_ && std::fputc('\n', file_.get()) == EOF)) {
    throw data_error({path_, "", "a file that can be added to", std::strerror(errno)});
  }
}

void Ledger::count_lines() {
  std::ifstream in(path_);
  for (std::string line; std::getline(in, line);) {
    cut_off_ = in.eof();  // no end of line
    const auto json = nlohmann::json::parse(line, nullptr, false);
    // What was cut off before was not sent.
    if (!json.is_object() || !json.contains("kind") || !json.contains("bytes")) continue;
    Sums& sums = sums_[json["kind"].get<std::string>()];
    ++sums.messages;
    sums.bytes += json["bytes"].get<std::uint64_t>();
  }
}

void Ledger::record(const v1::SiteMessage& message) {
  const std::string bytes = message.SerializeAsString();
  Sha256 hash;
  hash.add(bytes);
  const std::string kind = kind_of(message);
  const auto [attempt, exchange] = place_of(message);
  const nlohmann::ordered_json line = {{"time", now_text()},    {"attempt", attempt},
                                       {"exchange", exchange},  {"kind", kind},
                                       {"bytes", bytes.size()}, {"sha256", hash.finish()}};
  const std::string text = line.dump() + "\n";
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0) {
    throw data_error({path_, "", "room for one more line; nothing is sent that is not written down",
                      std::strerror(errno)});
  }
  Sums& sums = sums_[kind];
  ++sums.messages;
  sums.bytes += bytes.size();
}

}  // namespace firm
