// Coordinator and sites over gRPC and mutual TLS, on the loopback: who is let in, and what happens
// to messages that are none. Each time the sites are served afterwards.
#include <netinet/in.h>
#include <sys/socket.h>

#include "federation/grpc_limits.h"
#include "grpc_federation.h"

namespace firm {
namespace {

constexpr const char* kJoin = "/firm.v1.Federation/Join";

// ---- connections -------------------------------------------------------------------------------

class Strangers : public GrpcFederation {
 protected:
  // A client that does not get as far as a call; the coordinator's log says why.
  void expect_turned_away(const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                          const std::string& reason) {
    start();
    const Answer answer = say(credentials, {hello("a")});
    EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(answer.refusal, "");
    EXPECT_TRUE(has_logged("a connection was refused: " + reason)) << log();
    EXPECT_EQ(log().find("connected"), std::string::npos) << log();
    expect_served();
  }
};

TEST_F(Strangers, AreTurnedAway) {
  expect_turned_away(grpc::InsecureChannelCredentials(), "wrong version number");
  TlsIdentity nameless = identity_of(certificates_.of("a"));
  nameless.key = nameless.certificate = "";
  expect_turned_away(tls_with(nameless), "peer did not return a certificate");
}

TEST_F(Strangers, WithACertificateThatIsNotASitesAreTurnedAway) {
  TlsIdentity foreign = identity_of(Certificates({"a"}).of("a"));
  foreign.ca = certificates_.coordinator().ca_pem;
  expect_turned_away(tls_with(foreign), "certificate verify failed");
  expect_turned_away(tls_with(identity_of(certificates_.coordinator())),
                     "certificate verify failed");
  const Credentials expired = certificates_.enrol("a", Certificates::long_ago());
  certificates_.enrol("a");
  expect_turned_away(tls_with(identity_of(expired)), "certificate verify failed");
}

TEST_F(Strangers, ThatSendGarbageDoNotDisturb) {
  start();
  std::string noise(100000, '\0');
  for (std::size_t k = 0; k < noise.size(); ++k) noise[k] = static_cast<char>(k * k >> 3);
  for (const std::string& bytes : {std::string("GET / HTTP/1.0\r\n\r\n"), noise,
                                   std::string("\x16\x03\x01\x02\x00\x01", 6), std::string()}) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    expect_served();  // while the other end waits for more
    ::close(socket);
  }
  EXPECT_TRUE(has_logged("a connection was refused: http request")) << log();
}

// ---- sites -------------------------------------------------------------------------------------

class Sites : public GrpcFederation {
 protected:
  // What the site is told when it dials, and whether it should try again.
  void expect_not_connected(const std::string& server, const TlsIdentity& identity, bool again,
                            const std::string& part) {
    try {
      GrpcChannel channel(server, identity, kPatience);
      ADD_FAILURE() << "connected; expected: " << part;
    } catch (const Error& e) {
      EXPECT_FALSE(again) << e.what();
      EXPECT_EQ(e.kind(), Error::Kind::kNetwork);
      EXPECT_CONTAINS(std::string(e.what()), part);
    } catch (const ChannelLost& e) {
      EXPECT_TRUE(again) << e.what();
      EXPECT_CONTAINS(std::string(e.what()), part);
    }
  }
};

TEST_F(Sites, AreToldWhyTheyCannotConnect) {
  const TlsIdentity a = identity_of(certificates_.of("a"));
  start();
  expect_not_connected("127.0.0.1:1", a, true, "Connection refused");
  expect_not_connected("nowhere.invalid:1", a, true, "cannot connect: DNS resolution failed");
  expect_not_connected(address(), identity_of(Certificates({"a"}).of("a")), false,
                       "has expired or is of another authority");
  const TlsIdentity expired = identity_of(certificates_.enrol("a", Certificates::long_ago()));
  expect_not_connected(address(), expired, true, "does not accept this site's certificate");
  start(identity_of(certificates_.expired_coordinator()));
  expect_not_connected(address(), a, false, "has expired or is of another authority");
}

TEST_F(Sites, InsistOnTheHostOfTheCertificate) {
  const Certificates elsewhere({"a"}, {"recon.example.org", "127.0.0.2"});
  start(identity_of(elsewhere.coordinator()));
  expect_not_connected(address(), identity_of(elsewhere.of("a")), false,
                       "expected a certificate for the host 127.0.0.1, found one for others");
  expect_not_connected(fmt::format("localhost:{}", server_->port()), identity_of(elsewhere.of("a")),
                       false, "for the host localhost");
}

TEST_F(Sites, DoNotTalkToAServerWithoutTls) {
  grpc::ServerBuilder builder;
  int port = 0;
  v1::Federation::Service service;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  expect_not_connected(fmt::format("127.0.0.1:{}", port), identity_of(certificates_.of("a")), false,
                       "found a server without TLS");
}

TEST_F(Sites, AreNotLetInUnderAnotherName) {
  start();
  certificates_.enrol("z");
  const auto z = dial("z");
  EXPECT_CONTAINS(z->receive().refusal().message(),
                  "expected one of the study's sites (a, b, c), found z");
  EXPECT_TRUE(has_logged("z: refused, not a site of this study"));
  const auto b = dial("b");
  b->send(hello("a"));
  EXPECT_CONTAINS(b->receive().refusal().message(),
                  "expected the site of the certificate, b, found a");
  expect_served();
}

TEST_F(Sites, AreNotLetInWithAKeyThatWasReplaced) {
  start();
  const TlsIdentity before = identity_of(certificates_.of("a"));
  certificates_.enrol("a");
  GrpcChannel channel(address(), before, kPatience);
  try {
    channel.receive();
    ADD_FAILURE() << "let in";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::kNetwork);
    EXPECT_CONTAINS(std::string(e.what()),
                    "certificate of a: expected the key that was signed last for this name");
  }
  EXPECT_TRUE(has_logged("refused: certificate of a: expected the key that was signed last"));
  expect_served();
}

TEST_F(Sites, ThatConnectAgainTakeTheirPlace) {
  start();
  const auto first = dial("a");
  first->send(hello("a"));
  EXPECT_TRUE(first->receive().has_waiting());
  const auto second = dial("a");
  second->send(hello("a"));
  EXPECT_TRUE(second->receive().has_waiting());
  EXPECT_CONTAINS(first->receive().refusal().message(), "a has connected again");
  // What the first says now is not heard.
  v1::SiteMessage failure;
  failure.mutable_failure()->set_message("something");
  EXPECT_THROW(
      {
        for (;;) {
          first->send(failure);
          first->receive();
        }
      },
      std::runtime_error);
  EXPECT_EQ(log().find("cannot go on"), std::string::npos) << log();
  const auto b = dial("b");
  const auto c = dial("c");
  b->send(hello("b"));
  c->send(hello("c"));
  v1::CoordinatorMessage message = second->receive();
  while (message.has_waiting()) message = second->receive();
  EXPECT_TRUE(message.has_begin());
}

// ---- messages ----------------------------------------------------------------------------------

class Messages : public GrpcFederation {
 protected:
  Answer say_as_a(const std::vector<v1::SiteMessage>& messages) const {
    return say(tls_with(identity_of(certificates_.of("a"))), messages);
  }

  // Site a says Hello, with others, and then this: it is refused, the others begin again.
  void expect_refused_in_a_run(v1::SiteMessage message, const std::string& part) {
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

TEST_F(Messages, ThatDoNotFitTheRunAreRefused) {
  expect_refused_in_a_run(share(2, 0, 1, 1), "expected attempt 1, found 2");
  expect_refused_in_a_run(share(1, 7, 1, 1), "expected exchange 0, try 0, found exchange 7, try 0");
  expect_refused_in_a_run(share(1, 0, 1, 2), "expected chunks of 2 words in all");
  expect_refused_in_a_run(share(1, 0, 1, std::uint64_t{1} << 62), "expected at most");
  v1::SiteMessage unknown;
  unknown.GetReflection()->MutableUnknownFields(&unknown)->AddVarint(99, 1);
  expect_refused_in_a_run(unknown, "expected a message of protocol 1, found one that is empty");
}

TEST_F(Messages, OfAnotherVersionOrStudyAreRefused) {
  start();
  v1::SiteMessage later = hello("a");
  later.mutable_hello()->set_protocol(2);
  later.mutable_hello()->set_software("9.9");
  EXPECT_CONTAINS(
      say_as_a({later}).refusal,
      fmt::format("expected protocol 1 (firm {}), found protocol 2 (firm 9.9)", kVersion));
  v1::SiteMessage differs = hello("a");
  differs.mutable_hello()->mutable_terms(0)->set_value("5");
  differs.mutable_hello()->mutable_terms(1)->set_field("image columms");
  const std::string text = say_as_a({differs}).refusal;
  EXPECT_CONTAINS(text, "the study differs from the coordinator's:");
  EXPECT_CONTAINS(text, "image rows: expected 4, found 5");
  EXPECT_CONTAINS(text, "image columns: expected 4, found (absent)");
  EXPECT_CONTAINS(text, "image columms: expected (absent), found 4");
  EXPECT_TRUE(has_logged("a: refused: the study differs"));
  expect_served();
}

TEST_F(Messages, WithFieldsOfALaterVersionAreTaken) {
  start();
  v1::SiteMessage later = hello("a");
  later.GetReflection()->MutableUnknownFields(&later)->AddVarint(99, 1);
  v1::Hello* h = later.mutable_hello();
  h->GetReflection()->MutableUnknownFields(h)->AddLengthDelimited(98, "something new");
  const auto a = dial("a");
  a->send(later);
  EXPECT_TRUE(a->receive().has_waiting());
}

TEST_F(Messages, ThatAreTooLargeEndTheConnection) {
  start();
  v1::SiteMessage large = hello("a");
  large.mutable_hello()->set_software(std::string(kLargestMessage, 'x'));
  EXPECT_EQ(say_as_a({large}).status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(has_logged("a: disconnected"));
  // Of a site too: it does not try again.
  const auto a = dial("a");
  EXPECT_THROW(
      {
        a->send(large);
        a->receive();
      },
      Error);
  expect_served();
}

TEST_F(Messages, ThatAreNoneEndTheConnection) {
  start();
  const std::string whole = hello("a").SerializeAsString();
  for (const std::string& bytes :
       {whole.substr(0, whole.size() - 1), std::string("\xff\xff\xff\xff\xff"),
        std::string("\x0a\x03\x1a\x01\xff", 5)}) {  // a name that is not UTF-8
    const grpc::Status status = say_bytes(bytes, kJoin);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  }
  EXPECT_EQ(say_bytes(whole, "/firm.v2.Federation/Join").error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  expect_served();
}

// The refusal is not lost when the site is still sending.
TEST_F(Messages, AreRefusedWhileMoreOfThemCome) {
  start();
  const auto a = dial("a");
  v1::SiteMessage other = hello("a");
  other.mutable_hello()->set_protocol(2);
  try {
    a->send(other);
    for (;;) a->send(share(1, 0, kChunkWords, kChunkWords));
  } catch (const Error& e) {
    EXPECT_CONTAINS(std::string(e.what()), "coordinator: expected protocol 1");
  }
  expect_served();
}

}  // namespace
}  // namespace firm
