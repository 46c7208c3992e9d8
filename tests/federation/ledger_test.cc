// Ledger: every message is written before it is sent; damaged and full files.
#include "federation/protocol/ledger.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "federation/protocol/key_exchange.h"
#include "firm/error.h"
#include "io/files/sha256.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

v1::SiteMessage share_of(std::size_t bytes) {
  v1::SiteMessage message;
  v1::Share& share = *message.mutable_share();
  share.mutable_position()->set_attempt(2);
  share.mutable_position()->set_exchange(7);
  share.set_length(bytes / 4);
  for (std::size_t k = 0; k < bytes; ++k) *share.mutable_words() += static_cast<char>(k * k);
  share.set_last(true);
  share.set_scalars("scalars");
  return message;
}

v1::SiteMessage hello() {
  v1::SiteMessage message;
  message.mutable_hello()->set_site("a");
  for (int k = 0; k < 300; ++k) message.mutable_hello()->mutable_geometry()->add_angles(0.1 * k);
  return message;
}

// For messages of any size; long fields are hashed in place.
TEST(Ledger, HashesBytesThatAreSent) {
  const TemporaryDirectory directory;
  for (const v1::SiteMessage& message :
       {hello(), share_of(0), share_of(8), share_of(1000), share_of(1024), share_of(200'000)}) {
    const std::string path = directory / "ledger";
    std::filesystem::remove(path);
    Ledger(path).record(message);
    const auto line = nlohmann::json::parse(file_content(path));
    const std::string bytes = message.SerializeAsString();
    Sha256 hash;
    hash.add(bytes);
    EXPECT_EQ(line.at("sha256"), hash.finish()) << bytes.size();
    EXPECT_EQ(line.at("bytes"), bytes.size());
    EXPECT_EQ(line.at("kind"), message.has_hello() ? "hello" : "share");
    EXPECT_EQ(line.at("exchange"), message.has_hello() ? 0 : 7);
  }
}

// Limits the size of files of this process, as on a full disk.
class LimitedFiles {
 public:
  explicit LimitedFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~LimitedFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  LimitedFiles(const LimitedFiles&) = delete;
  LimitedFiles& operator=(const LimitedFiles&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

// Reads the ledger when a message is sent.
class WatchingChannel : public SiteChannel {
 public:
  explicit WatchingChannel(std::string path) : path_(std::move(path)) {}
  void send(const v1::SiteMessage&) override { seen.push_back(file_content(path_)); }
  v1::CoordinatorMessage receive() override { throw ChannelLost("nothing comes"); }

  std::vector<std::string> seen;

 private:
  std::string path_;
};

std::uint64_t messages(const Ledger& ledger) { return ledger.total().messages; }

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

TEST(Ledger, RecordsMessageBeforeItIsSent) {
  const TemporaryDirectory directory;
  const std::string path = directory / "ledger";
  Ledger ledger(path);
  WatchingChannel channel(path);
  send_recorded(channel, ledger, share_of(8));
  ASSERT_EQ(channel.seen.size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(channel.seen[0]).at("kind"), "share");
}

TEST(Ledger, MessageIsNotSentWithoutRoomForItsLine) {
  const TemporaryDirectory directory;
  const std::string path = directory / "ledger";
  Ledger ledger(path);
  WatchingChannel channel(path);
  send_recorded(channel, ledger, hello());
  const std::size_t size = file_content(path).size();
  for (const std::size_t room : {0u, 1u, 60u}) {
    const LimitedFiles full(size + room);
    try {
      send_recorded(channel, ledger, share_of(8));
      ADD_FAILURE() << room;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kData);
      EXPECT_CONTAINS(std::string(error.what()), path + ": expected room for one more line");
    }
  }
  EXPECT_EQ(channel.seen.size(), 1u);
  EXPECT_EQ(messages(ledger), 1u);
  // Once there is room, the next entry is on a line of its own.
  send_recorded(channel, ledger, share_of(16));
  EXPECT_EQ(channel.seen.size(), 2u);
  const std::string text = file_content(path);
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  EXPECT_EQ(nlohmann::json::parse(text.substr(last)).at("bytes"), share_of(16).ByteSizeLong());
  const Ledger again(path);
  EXPECT_EQ(messages(again), 2u);
  EXPECT_EQ(again.total().bytes, ledger.total().bytes);
}

TEST(Ledger, IgnoresLinesThatWereCutOff) {
  const TemporaryDirectory directory;
  const std::string path = directory / "ledger";
  for (const v1::SiteMessage& message : {hello(), share_of(8), share_of(1000)}) {
    Ledger(path).record(message);
  }
  const std::string whole = file_content(path);
  const std::string line = whole.substr(0, whole.find('\n'));
  const std::uint64_t shares = share_of(8).ByteSizeLong() + share_of(1000).ByteSizeLong();
  std::uint64_t shares_now = shares;
  for (const std::size_t length : {std::size_t{1}, line.size() / 2, line.size() - 1, line.size()}) {
    append(path, line.substr(0, length));
    for (int start = 0; start < 2; ++start) {
      Ledger ledger(path);
      EXPECT_EQ(ledger.sums().at("hello").messages, 1u) << length;
      EXPECT_EQ(ledger.sums().at("share").bytes, shares_now) << length;
      ledger.record(share_of(4));
      shares_now += share_of(4).ByteSizeLong();
    }
  }
}

// Starts a ledger of one line, to which somebody has added `line`.
std::string error_with_line(const std::string& line) {
  const TemporaryDirectory directory;
  const std::string path = directory / "ledger";
  Ledger(path).record(share_of(8));
  append(path, line + "\n");
  return error_of([&] { const Ledger ledger(path); });
}

TEST(Ledger, NamesInvalidLine) {
  for (const std::string line :
       {R"({"kind":7,"bytes":1})", R"({"kind":"share","bytes":"1"})", R"({"kind":"share"})",
        R"({"kind":"share","bytes":-1})", R"({"bytes":1})"}) {
    EXPECT_CONTAINS(error_with_line(line), "ledger: line 2: expected the kind");
  }
  for (const std::string& line :
       {std::string("[1]"), std::string("7"), std::string("a note"), std::string(),
        std::string(R"({"kind":"share","bytes":1e999})"),
        std::string(R"({"kind":"share","bytes":1,"bytes":2})"),
        std::string(R"({"kind":"share","bytes":1,"more":{}})"), std::string(100'000, '[')}) {
    EXPECT_CONTAINS(error_with_line(line), "ledger: line 2: expected a line of a ledger");
  }
  EXPECT_CONTAINS(error_with_line(std::string(2'000'000, 'x')),
                  "ledger: line 2: expected at most 1048576 bytes");
}

}  // namespace
}  // namespace firm
