#include "federation/transport/grpc_channel.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "federation/pki/secret_text.h"
#include "federation/protocol/refused.h"
#include "federation/secure/peer_text.h"
#include "federation/transport/grpc_limits.h"
#include "federation/transport/grpc_log.h"
#include "firm/error.h"
#include "firm/v1/federation.grpc.pb.h"

namespace firm {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr std::chrono::seconds kFinishTime(1);

std::string host_of(const std::string& server) { return server.substr(0, server.rfind(':')); }

// gRPC reports why a connection failed only as text, such as "failed to connect to all addresses;
// last error: UNKNOWN: ipv4:127.0.0.1:7443: Peer name 127.0.0.1 is not in peer certificate".
[[noreturn]] void throw_not_connected(const std::string& server, const std::string& message) {
  if (contains(message, "certificate verify failed")) {
    throw Error(Error::Kind::kNetwork,
                fmt::format("{}: expected a coordinator with a valid certificate of the authority "
                            "in ca.crt, found one that has expired or is of another authority",
                            server));
  }
  if (contains(message, "is not in peer certificate")) {
    throw Error(Error::Kind::kNetwork,
                fmt::format("{}: expected a certificate for the host {}, found one for others; at "
                            "the coordinator: firm pki init --renew --host {}",
                            server, host_of(server), host_of(server)));
  }
  if (contains(message, "wrong version number")) {
    throw Error(Error::Kind::kNetwork,
                fmt::format("{}: expected a coordinator, found a server without TLS", server));
  }
  // The coordinator checks the site's certificate after the site has checked the coordinator's.
  if (contains(message, "Socket closed")) {
    throw ChannelLost(
        fmt::format("{}: connected, but the other end has hung up: it is closing down, or does not "
                    "accept this site's certificate (see its log)",
                    server));
  }
  constexpr std::string_view kBefore = "last error: ";
  const std::size_t at = message.find(kBefore);
  throw ChannelLost(
      fmt::format("{}: cannot connect: {}", server,
                  at == std::string::npos ? message : message.substr(at + kBefore.size())));
}

// Returns whether the coordinator rejects this site, rather than being unable to serve it now.
bool is_refusal(grpc::StatusCode code) {
  return code == grpc::StatusCode::PERMISSION_DENIED || code == grpc::StatusCode::UNIMPLEMENTED ||
         code == grpc::StatusCode::INVALID_ARGUMENT || code == grpc::StatusCode::RESOURCE_EXHAUSTED;
}

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const TlsIdentity& identity) {
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = identity.ca;
  tls.pem_private_key = identity.key.text();
  tls.pem_cert_chain = identity.certificate;
  auto credentials = grpc::SslCredentials(tls);
  wipe(tls.pem_private_key);
  return credentials;
}

}  // namespace

struct GrpcChannel::State {
  GrpcLog log{{}};  // keeps gRPC from printing failures, which are thrown instead
  grpc::ClientContext context;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::Federation::Stub> stub;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SiteMessage, v1::CoordinatorMessage>> stream;
  bool over = false;

  // Makes channel and stub, and waits for the connection, which may fail.
  void dial(const std::string& server, const TlsIdentity& identity, double seconds,
            double keepalive_seconds = kKeepaliveSeconds);

  // Returns when the connection is up, the first try has failed, or time is up.
  void wait_for_connection(double seconds) const {
    const auto deadline = std::chrono::system_clock::now() +
                          std::chrono::milliseconds(static_cast<long>(1000 * seconds));
    grpc_connectivity_state at = channel->GetState(true);
    while (at != GRPC_CHANNEL_READY && at != GRPC_CHANNEL_TRANSIENT_FAILURE &&
           channel->WaitForStateChange(at, deadline)) {
      at = channel->GetState(true);
    }
  }
  bool connected() const { return channel->GetState(false) == GRPC_CHANNEL_READY; }
  bool has_failed() const { return channel->GetState(false) == GRPC_CHANNEL_TRANSIENT_FAILURE; }

  // A call on an unconnected channel fails at once and reports the reason.
  std::string why_not_connected() const {
    grpc::ClientContext at_once;
    at_once.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
    return stub->Join(&at_once)->Finish().error_message();
  }

  // Returns the status of a stream from which nothing can be read. It is there already when the
  // stream has ended; but a message that cannot be parsed leaves it open as long as the coordinator
  // likes.
  grpc::Status finish() {
    std::mutex mutex;
    std::condition_variable_any never;
    std::atomic<bool> unreadable = false;
    const std::jthread limit([&](const std::stop_token& finished) {
      std::unique_lock lock(mutex);
      never.wait_for(lock, finished, kFinishTime, [] { return false; });
      if (finished.stop_requested()) return;
      unreadable = true;
      context.TryCancel();
    });
    const grpc::Status status = stream->Finish();
    if (!unreadable || status.error_code() != grpc::StatusCode::CANCELLED) return status;
    return {grpc::StatusCode::CANCELLED, "the coordinator has sent bytes that are no message"};
  }

  // Throws the reason why the stream ended.
  [[noreturn]] void throw_ended() {
    if (over) throw ChannelLost("the connection has ended");
    over = true;
    const grpc::Status status = finish();
    if (is_refusal(status.error_code())) {
      throw Error(Error::Kind::kNetwork, "coordinator: " + peer_text(status.error_message()));
    }
    throw ChannelLost(status.ok() ? "the coordinator has closed the connection"
                                  : peer_text(status.error_message()));
  }
};

void GrpcChannel::State::dial(const std::string& server, const TlsIdentity& identity,
                              double seconds, double keepalive_seconds) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, milliseconds(keepalive_seconds));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, milliseconds(keepalive_seconds));
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetMaxReceiveMessageSize(kLargestAnswer);
  // gRPC applies that limit before it decompresses; the coordinator does not compress.
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE);
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  // Do not share connections with other channels: their state could be stale.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  channel = grpc::CreateCustomChannel(server, credentials_of(identity), arguments);
  wait_for_connection(seconds);
  stub = v1::Federation::NewStub(channel);
}

GrpcChannel::GrpcChannel(const std::string& server, const TlsIdentity& identity, double seconds,
                         double keepalive_seconds, const AcceptServer& accept)
    : state_(std::make_unique<State>()) {
  state_->dial(server, identity, seconds, keepalive_seconds);
  if (!state_->connected()) throw_not_connected(server, state_->why_not_connected());
  state_->stream = state_->stub->Join(&state_->context);
  if (!accept) return;
  try {
    state_->stream->WaitForInitialMetadata();
    const auto found = state_->context.auth_context()->FindPropertyValues("x509_pem_cert");
    if (found.size() != 1) throw ChannelLost(server + ": the connection has ended");
    accept(std::string(found[0].data(), found[0].size()));
  } catch (...) {
    state_->context.TryCancel();
    state_->stream->Finish();
    throw;
  }
}

void GrpcChannel::probe(const std::string& server, const TlsIdentity& identity, double seconds) {
  State state;
  state.dial(server, identity, seconds);
  if (state.connected()) return;
  // While it is still connecting, asking for the reason could open a stream.
  if (!state.has_failed()) {
    throw ChannelLost(fmt::format("{}: no answer within {} s", server, seconds));
  }
  throw_not_connected(server, state.why_not_connected());
}

GrpcChannel::~GrpcChannel() {
  if (!state_->stream || state_->over) return;
  state_->context.TryCancel();
  state_->stream->Finish();
}

void GrpcChannel::send(const v1::SiteMessage& message) {
  if (state_->stream->Write(message)) return;
  // A refusal sent before the stream was closed explains more than the status of the stream.
  v1::CoordinatorMessage last;
  while (!state_->over && state_->stream->Read(&last)) {
    if (last.has_refusal()) {
      throw Refused(last.refusal());
    }
  }
  state_->throw_ended();
}

v1::CoordinatorMessage GrpcChannel::receive() {
  v1::CoordinatorMessage message;
  if (!state_->stream->Read(&message)) state_->throw_ended();
  return message;
}

void GrpcChannel::cancel() { state_->context.TryCancel(); }

}  // namespace firm
