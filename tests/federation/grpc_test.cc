// Admission to a coordinator over gRPC and mutual TLS on the loopback interface, and the errors
// that others get. Each test checks that the coordinator still serves the sites afterwards.
#include <fmt/format.h>
#include <grpc/support/log.h>
#include <sys/socket.h>

#include <cerrno>

#include "core/file_descriptor.h"
#include "federation/grpc_federation.h"
#include "federation/transport/grpc_log.h"
#include "support/loopback.h"

namespace firm {
namespace {

// ---- connections -------------------------------------------------------------------------------

class Strangers : public GrpcFederation {
 protected:
  // A client that fails before its call; the coordinator's log says why.
  void expect_refused(const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                      const std::string& reason) {
    start();
    const Answer answer = call(credentials, {hello("a")});
    EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(answer.refusal, "");
    EXPECT_TRUE(has_logged("a connection was refused: " + reason)) << log();
    EXPECT_EQ(log().find("connected"), std::string::npos) << log();
    expect_served();
  }
};

TEST_F(Strangers, AreRefused) {
  expect_refused(grpc::InsecureChannelCredentials(), "wrong version number");
  TlsIdentity nameless = identity_of(certificates_.of("a"));
  nameless.key = nameless.certificate = "";
  expect_refused(tls_with(nameless), "peer did not return a certificate");
}

TEST_F(Strangers, WithOtherCertificatesAreRefused) {
  TlsIdentity other_authority = identity_of(Certificates({"a"}).of("a"));
  other_authority.ca = certificates_.coordinator().ca_pem;
  expect_refused(tls_with(other_authority), "certificate verify failed");
  expect_refused(tls_with(identity_of(certificates_.coordinator())), "certificate verify failed");
  const Credentials expired = certificates_.enrol("a", Certificates::long_ago());
  certificates_.enrol("a");
  expect_refused(tls_with(identity_of(expired)), "certificate verify failed: it has expired");
}

TEST_F(Strangers, SendingGarbageDoNotDisturb) {
  start();
  std::string noise(100000, '\0');
  for (std::size_t k = 0; k < noise.size(); ++k) noise[k] = static_cast<char>(k * k >> 3);
  for (const std::string& bytes : {std::string("GET / HTTP/1.0\r\n\r\n"), noise,
                                   std::string("\x16\x03\x01\x02\x00\x01", 6), std::string()}) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in to = loopback(server_->port());
    ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    expect_served();  // while the client keeps its connection open
    ::close(socket);
  }
  EXPECT_TRUE(has_logged("a connection was refused: http request")) << log();
}

// A connection from 127.0.0.`host` that has sent these bytes.
FileDescriptor connect_from(unsigned host, int port, const std::string& bytes) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in to = loopback(port);
  EXPECT_TRUE(bind_to_loopback(socket.get(), host));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return socket;
}

bool hung_up(int socket) {
  char byte = 0;
  const auto got = ::recv(socket, &byte, 1, MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN);
}

constexpr const char* kNoTls = "GET / HTTP/1.0\r\n\r\n";

TEST_F(Strangers, DoNotHideLinesAboutOthers) {
  start();
  for (unsigned host = 2; host < 122; ++host) {
    const FileDescriptor socket = connect_from(host, server_->port(), kNoTls);
    ASSERT_TRUE(wait_until(kPatience, [&] { return hung_up(socket.get()); }));
  }
  const TlsIdentity before = identity_of(certificates_.of("a"));
  certificates_.enrol("a");
  call(tls_with(before), {});
  EXPECT_TRUE(has_logged("refused: certificate of a: expected the key that was signed last"))
      << log();
}

TEST_F(Strangers, AreNamedBesideManyOthers) {
  start();
  std::vector<FileDescriptor> half_open;
  for (unsigned host = 2; host < 14; ++host) {
    half_open.push_back(connect_from(host, server_->port(), "\x16"));
  }
  const FileDescriptor refused = connect_from(99, server_->port(), kNoTls);
  EXPECT_TRUE(has_logged("a connection was refused: http request (from ")) << log();
  EXPECT_CONTAINS(log(), "127.0.0.99");
  EXPECT_CONTAINS(log(), " more)");
}

// gRPC repeats bytes of a peer in lines of its own.
TEST(GrpcLog, CleansAndLimitsLines) {
  const GrpcLog log({});
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);  // gRPC sets it when it is first used
  testing::internal::CaptureStderr();
  for (int k = 0; k < 1000; ++k) {
    gpr_log(GPR_ERROR, "Error parsing metadata: value=%s", "\x1b[2J\ncoordinator: finished");
  }
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_CONTAINS(printed,
                  "gRPC: Error parsing metadata: value=\\x1b[2J\n  coordinator: finished\n");
  EXPECT_EQ(printed.find('\x1b'), std::string::npos);
  EXPECT_LT(printed.size(), 10'000u);
}

// ---- sites -------------------------------------------------------------------------------------

class Sites : public GrpcFederation {
 protected:
  // The error that the site gets when it connects, and whether it should retry.
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

TEST_F(Sites, GetReasonWhyTheyCannotConnect) {
  const TlsIdentity a = identity_of(certificates_.of("a"));
  start();
  expect_not_connected("127.0.0.1:1", a, true, "Connection refused");
  const std::string no_name(64, 'x');  // too long for a host name: no DNS query
  expect_not_connected(no_name + ":1", a, true, "cannot connect: DNS resolution failed");
  expect_not_connected(address(), identity_of(Certificates({"a"}).of("a")), false,
                       "has expired or is of another authority");
  const TlsIdentity expired = identity_of(certificates_.enrol("a", Certificates::long_ago()));
  expect_not_connected(address(), expired, true, "does not accept this site's certificate");
  start(identity_of(certificates_.expired_coordinator()));
  expect_not_connected(address(), a, false, "has expired or is of another authority");
}

TEST_F(Sites, CheckHostOfCertificate) {
  const Certificates elsewhere({"a"}, {"recon.example.org", "127.0.0.2"});
  start(identity_of(elsewhere.coordinator()));
  expect_not_connected(address(), identity_of(elsewhere.of("a")), false,
                       "expected a certificate for the host 127.0.0.1, found one for others");
  expect_not_connected(fmt::format("localhost:{}", server_->port()), identity_of(elsewhere.of("a")),
                       false, "for the host localhost");
}

TEST_F(Sites, RefuseServerWithoutTls) {
  grpc::ServerBuilder builder;
  int port = 0;
  v1::Federation::Service service;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  expect_not_connected(fmt::format("127.0.0.1:{}", port), identity_of(certificates_.of("a")), false,
                       "found a server without TLS");
}

// A coordinator that answers each stream with bytes, and keeps it open until the site ends it.
class Answering : public grpc::Service {
 public:
  using Stream = grpc::ServerReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

  explicit Answering(const std::function<void(Stream&)>& answer) {
    AddMethod(new grpc::internal::RpcServiceMethod(
        "/firm.v1.Federation/Join", grpc::internal::RpcMethod::BIDI_STREAMING,
        new grpc::internal::BidiStreamingHandler<Answering, grpc::ByteBuffer, grpc::ByteBuffer>(
            [answer](Answering*, grpc::ServerContext*, Stream* stream) {
              answer(*stream);
              grpc::ByteBuffer ignored;
              while (stream->Read(&ignored)) {
              }
              return grpc::Status::OK;
            },
            this)));
  }
};

TEST_F(Sites, LeaveCoordinatorWhoseMessagesAreNone) {
  Answering service([](Answering::Stream& stream) {
    const grpc::Slice none("\xff\xff\xff\xff\xff");
    stream.Write(grpc::ByteBuffer(&none, 1));
  });
  grpc::ServerBuilder builder;
  int port = 0;
  grpc::SslServerCredentialsOptions tls;
  const TlsIdentity identity = identity_of(certificates_.coordinator());
  tls.pem_key_cert_pairs.push_back({identity.key.text(), identity.certificate});
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(tls), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  GrpcChannel channel(fmt::format("127.0.0.1:{}", port), identity_of(certificates_.of("a")),
                      kPatience);
  try {
    channel.receive();
    ADD_FAILURE() << "has received a message";
  } catch (const ChannelLost& e) {
    EXPECT_CONTAINS(std::string(e.what()), "has sent bytes that are no message");
  }
}

TEST_F(Sites, AreRefusedUnderAnotherName) {
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

TEST_F(Sites, AreRefusedWithReplacedKey) {
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

TEST_F(Sites, ReplaceTheirOlderConnection) {
  start();
  const auto first = dial("a");
  first->send(hello("a"));
  EXPECT_TRUE(first->receive().has_waiting());
  const auto second = dial("a");
  second->send(hello("a"));
  EXPECT_TRUE(second->receive().has_waiting());
  EXPECT_CONTAINS(first->receive().refusal().message(), "a has connected again");
  // The coordinator ignores further messages of the first.
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
  EXPECT_EQ(log().find("cannot continue"), std::string::npos) << log();
  const auto b = dial("b");
  const auto c = dial("c");
  b->send(hello("b"));
  c->send(hello("c"));
  v1::CoordinatorMessage message = second->receive();
  while (message.has_waiting()) message = second->receive();
  EXPECT_TRUE(message.has_begin());
}

}  // namespace
}  // namespace firm
