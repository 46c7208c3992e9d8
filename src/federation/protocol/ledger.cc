#include "federation/protocol/ledger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "federation/secure/peer_text.h"
#include "firm/error.h"
#include "io/files/sha256.h"

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

// Hashes the bytes written to it, without storing them.
class HashingStream : public google::protobuf::io::ZeroCopyOutputStream {
 public:
  bool Next(void** data, int* size) override {
    flush();
    *data = buffer_.data();
    *size = static_cast<int>(buffer_.size());
    filled_ = buffer_.size();
    return true;
  }
  void BackUp(int count) override { filled_ -= static_cast<std::size_t>(count); }
  std::int64_t ByteCount() const override { return static_cast<std::int64_t>(hashed_ + filled_); }
  // Long fields are hashed in place, without a copy.
  bool AllowsAliasing() const override { return true; }
  bool WriteAliasedRaw(const void* data, int size) override {
    flush();
    add(data, static_cast<std::size_t>(size));
    return true;
  }

  std::string finish() {
    flush();
    return hash_.finish();
  }

 private:
  void add(const void* data, std::size_t size) {
    hash_.add(std::span(static_cast<const std::byte*>(data), size));
    hashed_ += size;
  }
  void flush() { add(buffer_.data(), std::exchange(filled_, 0)); }

  Sha256 hash_;
  std::array<char, 1024> buffer_{};
  std::size_t filled_ = 0;
  std::size_t hashed_ = 0;
};

// SHA-256 of the bytes on the wire.
std::string hash_of(const v1::SiteMessage& message) {
  HashingStream stream;
  {
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.EnableAliasing(true);
    FIRM_CHECK(message.SerializeToCodedStream(&coded));
  }
  return stream.finish();
}

v1::Position position_of(const v1::SiteMessage& message) {
  if (message.has_share()) return message.share().position();
  if (message.has_range()) return message.range().position();
  return {};
}

}  // namespace

Ledger::Ledger(std::string path) : path_(std::move(path)) {
  count_lines();
  file_.reset(std::fopen(path_.c_str(), "ab"));
  // No buffer: a line that failed to be written must not be written later.
  if (!file_ || std::setvbuf(file_.get(), nullptr, _IONBF, 0) != 0) {
    throw data_error({path_, "", "a file that can be added to", std::strerror(errno)});
  }
}

void Ledger::count_lines() {
  LedgerLines lines(path_, "; move the ledger away to begin another");
  nlohmann::json line;
  while (lines.next(line)) {
    if (line.contains("received")) continue;
    Sums& sums = sums_[line.at("kind").get<std::string>()];
    ++sums.messages;
    sums.bytes += line.at("bytes").get<std::uint64_t>();
  }
  chain_ = lines.chain();
  cut_off_ = lines.cut_off();
}

void Ledger::write(const nlohmann::ordered_json& json) {
  const std::string line = chain_.next_line(json);
  const std::string text = (cut_off_ ? std::string(kCutOff) + "\n" : "") + line + "\n";
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), file_.get());
  if (written != text.size()) {
    cut_off_ = cut_off_ || written > 0;
    throw data_error({path_, "", "room for one more line; nothing is sent that is not written down",
                      std::strerror(errno)});
  }
  cut_off_ = false;
  FIRM_CHECK(chain_.follow(line));
}

void Ledger::record(const v1::SiteMessage& message, const LedgerNote& note) {
  const std::size_t bytes = message.ByteSizeLong();
  const std::string kind = note.kind.empty() ? kind_of(message) : note.kind;
  const v1::Position p = position_of(message);
  nlohmann::ordered_json line = {
      {"time", now_text()},        {"attempt", p.attempt()}, {"exchange", p.exchange()},
      {"try", p.try_()},           {"kind", kind},           {"bytes", bytes},
      {"sha256", hash_of(message)}};
  if (!note.commitment.empty()) line["commitment"] = note.commitment;
  write(line);
  Sums& sums = sums_[kind];
  ++sums.messages;
  sums.bytes += bytes;
}

void Ledger::record_begin(const v1::Begin& begin, const std::string& site,
                          const std::string& study) {
  nlohmann::ordered_json members = nlohmann::ordered_json::array();
  for (const v1::Member& member : begin.members()) members.push_back(member.site());
  write({{"time", now_text()},
         {"received", "begin"},
         {"site", site},
         {"run", peer_text(begin.run())},
         {"attempt", begin.attempt()},
         {"round", begin.round()},
         {"members", members},
         {"study", study},
         {"secure", begin.secure()}});
}

void Ledger::record_total(const LedgerTotal& total) {
  nlohmann::ordered_json line = {{"time", now_text()},       {"received", "total"},
                                 {"attempt", total.attempt}, {"exchange", total.exchange},
                                 {"try", total.try_number},  {"words", total.words},
                                 {"scalars", total.scalars}, {"fraction_bits", total.fraction_bits},
                                 {"sha256", total.sha256}};
  if (!total.opener.empty()) line["opener"] = total.opener;
  if (!total.opened.empty()) line["opened"] = total.opened;
  write(line);
}

Ledger::Sums Ledger::total() const {
  Sums all;
  for (const auto& [kind, sums] : sums_) {
    all.messages += sums.messages;
    all.bytes += sums.bytes;
  }
  return all;
}

}  // namespace firm
