// Invalid messages to a coordinator over gRPC. Each test checks that the coordinator still serves
// the sites afterwards.
#include <fmt/format.h>

#include "federation/grpc_federation.h"
#include "federation/transport/grpc_limits.h"

namespace firm {
namespace {

constexpr const char* kJoin = "/firm.v1.Federation/Join";

class Messages : public GrpcFederation {
 protected:
  Answer call_as_a(const std::vector<v1::SiteMessage>& messages) const {
    return call(tls_with(identity_of(certificates_.of("a"))), messages);
  }

  // Sends a message as site a after Begin: a is refused, and the others start a new attempt.
  void expect_refused_in_a_run(const v1::SiteMessage& message, const std::string& part) {
    start();
    std::vector<std::unique_ptr<GrpcChannel>> channels;
    for (const std::string& site : sites_) channels.push_back(dial(site));
    for (std::size_t i = 0; i < sites_.size(); ++i) channels[i]->send(hello(sites_[i]));
    for (const auto& channel : channels) {
      while (!channel->receive().has_begin()) {
      }
    }
    channels[0]->send(message);
    EXPECT_CONTAINS(channels[0]->receive().refusal().message(), part);
    EXPECT_TRUE(has_logged("a: refused: "));
    for (const std::size_t other : {1u, 2u}) {
      EXPECT_CONTAINS(channels[other]->receive().abandon().reason(), "a was refused");
    }
    channels.clear();
    expect_served();
  }
};

v1::SiteMessage share(std::uint32_t attempt, std::uint64_t exchange, std::size_t words,
                      std::uint64_t length) {
  v1::SiteMessage message;
  v1::Share& s = *message.mutable_share();
  s.mutable_position()->set_attempt(attempt);
  s.mutable_position()->set_exchange(exchange);
  s.set_length(length);
  s.set_words(std::string(4 * words, 'x'));
  s.set_last(true);
  return message;
}

TEST_F(Messages, RefusedWhenTheyDoNotFitTheRun) {
  expect_refused_in_a_run(share(2, 0, 1, 1), "expected attempt 1, found 2");
  expect_refused_in_a_run(share(1, 7, 1, 1), "expected exchange 0, try 0, found exchange 7, try 0");
  expect_refused_in_a_run(share(1, 0, 1, 2), "expected chunks of 2 words in all");
  expect_refused_in_a_run(share(1, 0, 1, std::uint64_t{1} << 62), "expected at most");
  v1::SiteMessage unknown;
  v1::SiteMessage::GetReflection()->MutableUnknownFields(&unknown)->AddVarint(99, 1);
  expect_refused_in_a_run(
      unknown,
      fmt::format("expected a message of protocol {}, found one that is empty", kProtocol));
}

TEST_F(Messages, RefusedFromOtherVersionOrStudy) {
  start();
  v1::SiteMessage later = hello("a");
  later.mutable_hello()->set_protocol(kProtocol + 1);
  later.mutable_hello()->set_software("9.9");
  EXPECT_CONTAINS(call_as_a({later}).refusal,
                  fmt::format("expected protocol {} (firm {}), found protocol {} (firm 9.9)",
                              kProtocol, kVersion, kProtocol + 1));
  v1::SiteMessage differs = hello("a");
  differs.mutable_hello()->mutable_terms(0)->set_value("5");
  differs.mutable_hello()->mutable_terms(1)->set_field("image columms");
  const std::string text = call_as_a({differs}).refusal;
  EXPECT_CONTAINS(text, "the study differs from the coordinator's:");
  EXPECT_CONTAINS(text, "image rows: expected 4, found 5");
  EXPECT_CONTAINS(text, "image columns: expected 4, found (absent)");
  EXPECT_CONTAINS(text, "image columms: expected (absent), found 4");
  EXPECT_TRUE(has_logged("a: refused: the study differs"));
  expect_served();
}

TEST_F(Messages, AcceptedWithUnknownFields) {
  start();
  v1::SiteMessage later = hello("a");
  v1::SiteMessage::GetReflection()->MutableUnknownFields(&later)->AddVarint(99, 1);
  v1::Hello* h = later.mutable_hello();
  v1::Hello::GetReflection()->MutableUnknownFields(h)->AddLengthDelimited(98, "something new");
  const auto a = dial("a");
  a->send(later);
  EXPECT_TRUE(a->receive().has_waiting());
}

// Begin, with the angles of all sites, may be larger than the largest message of a site.
TEST_F(Messages, AcceptedWithManyAngles) {
  start();
  constexpr int kAngles = 30000;
  std::vector<std::unique_ptr<GrpcChannel>> channels;
  for (const std::string& site : sites_) {
    v1::SiteMessage message = hello(site);
    for (int k = 0; k < kAngles; ++k) {
      message.mutable_hello()->mutable_geometry()->add_angles(0.1 * k);
      message.mutable_hello()->mutable_geometry()->add_shifts(0.2 * k);
    }
    channels.push_back(dial(site));
    channels.back()->send(message);
  }
  for (const auto& channel : channels) {
    v1::CoordinatorMessage message = channel->receive();
    while (message.has_waiting()) message = channel->receive();
    EXPECT_GT(message.ByteSizeLong(), static_cast<std::size_t>(kLargestMessage));
    ASSERT_EQ(message.begin().members_size(), 3);
    EXPECT_EQ(message.begin().members(2).geometry().angles_size(), kAngles);
  }
}

// A peer can neither move the cursor nor print lines that look like the coordinator's.
TEST_F(Messages, EscapedForTerminal) {
  start();
  v1::SiteMessage failure;
  failure.mutable_failure()->set_message("\x1b[2J\nb: has its results" + std::string(5000, '!'));
  const auto a = dial("a");
  a->send(failure);
  EXPECT_TRUE(has_logged("a: cannot continue: \\x1b[2J\n  b: has its results!!!")) << log();
  EXPECT_LT(log().size(), 4500u);
}

TEST_F(Messages, TooLargeEndConnection) {
  start();
  v1::SiteMessage large = hello("a");
  large.mutable_hello()->set_software(std::string(kLargestMessage, 'x'));
  EXPECT_EQ(call_as_a({large}).status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(has_logged("a: disconnected"));
  // A site that gets this error does not retry.
  const auto a = dial("a");
  EXPECT_THROW(
      {
        a->send(large);
        a->receive();
      },
      Error);
  expect_served();
}

// Compressed, it is far smaller than the largest message, which gRPC checks first.
TEST_F(Messages, CompressedEndConnection) {
  start();
  v1::SiteMessage failure;
  failure.mutable_failure()->set_message(std::string(8 * kLargestMessage, 'f'));
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    const Answer answer = call(tls_with(identity_of(certificates_.of("a"))), {failure}, algorithm);
    EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::UNIMPLEMENTED)
        << answer.status.error_message();
  }
  EXPECT_EQ(log().find("cannot continue"), std::string::npos) << log().substr(0, 1000);
  expect_served();
}

TEST_F(Messages, InvalidBytesEndConnection) {
  start();
  const std::string whole = hello("a").SerializeAsString();
  for (const std::string& bytes :
       {whole.substr(0, whole.size() - 1), std::string("\xff\xff\xff\xff\xff"),
        std::string("\x0a\x03\x1a\x01\xff", 5)}) {  // a name that is not UTF-8
    const grpc::Status status = call_with_bytes(bytes, kJoin);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  }
  EXPECT_EQ(call_with_bytes(whole, "/firm.v2.Federation/Join").error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  expect_served();
}

// The site receives the refusal although it is still sending.
TEST_F(Messages, RefusalArrivesWhileSiteIsSending) {
  start();
  const auto a = dial("a");
  v1::SiteMessage other = hello("a");
  other.mutable_hello()->set_protocol(kProtocol + 1);
  try {
    a->send(other);
    for (;;) a->send(share(1, 0, kChunkWords, kChunkWords));
  } catch (const Error& e) {
    EXPECT_CONTAINS(std::string(e.what()),
                    fmt::format("coordinator: expected protocol {}", kProtocol));
  }
  expect_served();
}

}  // namespace
}  // namespace firm
