#include "federation/grpc_channel.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include "federation/grpc_limits.h"
#include "firm/v1/federation.grpc.pb.h"

namespace firm {

struct GrpcChannel::State {
  grpc::ClientContext context;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::Federation::Stub> stub;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SiteMessage, v1::CoordinatorMessage>> stream;
  bool over = false;

  // Why the stream ended; asked once.
  std::string reason() {
    if (over) return "the connection has ended";
    over = true;
    const grpc::Status status = stream->Finish();
    return status.ok() ? "the coordinator has closed the connection" : status.error_message();
  }
};

GrpcChannel::GrpcChannel(const std::string& server, const TlsIdentity& identity, double seconds)
    : state_(std::make_unique<State>()) {
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = identity.ca;
  tls.pem_private_key = identity.key;
  tls.pem_cert_chain = identity.certificate;
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetMaxReceiveMessageSize(kLargestMessage);
  // No connection of another channel, whose state could be stale, is taken over.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  state_->channel = grpc::CreateCustomChannel(server, grpc::SslCredentials(tls), arguments);
  const auto deadline = std::chrono::system_clock::now() +
                        std::chrono::milliseconds(static_cast<long>(1000 * seconds));
  if (!state_->channel->WaitForConnected(deadline)) {
    throw ChannelLost(
        fmt::format("{}: no coordinator that accepts this site's certificate", server));
  }
  state_->stub = v1::Federation::NewStub(state_->channel);
  state_->stream = state_->stub->Join(&state_->context);
}

GrpcChannel::~GrpcChannel() {
  if (!state_->stream || state_->over) return;
  state_->context.TryCancel();
  state_->stream->Finish();
}

void GrpcChannel::send(const v1::SiteMessage& message) {
  if (!state_->stream->Write(message)) throw ChannelLost(state_->reason());
}

v1::CoordinatorMessage GrpcChannel::receive() {
  v1::CoordinatorMessage message;
  if (!state_->stream->Read(&message)) throw ChannelLost(state_->reason());
  return message;
}

void GrpcChannel::cancel() { state_->context.TryCancel(); }

}  // namespace firm
