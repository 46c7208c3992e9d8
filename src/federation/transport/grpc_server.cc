#include "federation/transport/grpc_server.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <thread>

#include "federation/protocol/site_queue.h"
#include "federation/transport/grpc_limits.h"
#include "federation/transport/grpc_log.h"
#include "firm/error.h"
#include "firm/v1/federation.grpc.pb.h"

namespace firm {
namespace {

// Returns the peer's certificate; gRPC has verified that the authority signed it.
std::string certificate_of(const grpc::ServerContext& context) {
  const auto found = context.auth_context()->FindPropertyValues("x509_pem_cert");
  return found.size() == 1 ? std::string(found[0].data(), found[0].size()) : "";
}

class Service final : public v1::Federation::Service {
 public:
  Service(Coordinator& coordinator, Admission admit)
      : coordinator_(coordinator), admit_(std::move(admit)) {}

  grpc::Status Join(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::SiteMessage>* stream) override {
    std::string site;
    try {
      site = admit_(certificate_of(*context));
    } catch (const Error& refused) {
      coordinator_.note(fmt::format("{}: refused: {}", context->peer(), refused.what()));
      if (refused.kind() == Error::Kind::kNetwork) {
        return {grpc::StatusCode::PERMISSION_DENIED, refused.what()};
      }
      // For example, the list of certificates is just being copied: the site may try again.
      return {grpc::StatusCode::UNAVAILABLE,
              "the coordinator cannot read its list of certificates at present"};
    }
    return serve(site, *stream);
  }

 private:
  using Stream = grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::SiteMessage>;

  struct CloseAtExit {
    SiteQueue& queue;
    ~CloseAtExit() { queue.close(); }
  };

  grpc::Status serve(const std::string& site, Stream& stream) {
    const auto queue = std::make_shared<SiteQueue>();
    std::jthread writer([&] {
      queue->send_all([&](const v1::CoordinatorMessage& message) {
        const bool written = stream.Write(message);
        if (written) coordinator_.sent(site, message.ByteSizeLong());
        return written;
      });
    });
    const CloseAtExit close{*queue};  // so that the destructor of `writer` does not wait forever
    const std::uint64_t connection =
        coordinator_.connect(site, [queue](const ToSite& message) { queue->push(message); });
    if (connection == 0) return {};
    grpc::Status status = listen(site, connection, stream);
    coordinator_.disconnect(site, connection);
    return status;
  }

  // Reads messages until the site disconnects, is refused, or cannot be served.
  grpc::Status listen(const std::string& site, std::uint64_t connection, Stream& stream) {
    try {
      v1::SiteMessage message;
      while (stream.Read(&message)) {
        if (!coordinator_.receive(site, connection, message)) return grpc::Status::OK;
      }
    } catch (const std::exception& e) {  // such as a full disk
      coordinator_.note(fmt::format("{}: cannot be served: {}", site, e.what()));
      return {grpc::StatusCode::INTERNAL, "the coordinator cannot continue at present"};
    }
    // Only a site that is still connected receives this.
    return {grpc::StatusCode::INVALID_ARGUMENT,
            fmt::format("expected a message of protocol {}, found bytes that are none", kProtocol)};
  }

  Coordinator& coordinator_;
  Admission admit_;
};

}  // namespace

struct GrpcServer::State {
  State(Coordinator& coordinator, Admission admit)
      : log([this, &coordinator](const std::string& reason) {
          if (is_new(reason)) {
            coordinator.note(fmt::format("a connection was refused: {}", reason));
          }
        }),
        service(coordinator, std::move(admit)) {}

  // Limits the log to one line per reason in ten seconds, since a refused site keeps retrying.
  // GrpcLog never calls this from two threads at once.
  bool is_new(const std::string& reason) {
    constexpr std::size_t kMostReasons = 64;  // any client can cause new ones
    const auto now = std::chrono::steady_clock::now();
    if (refused.size() >= kMostReasons) refused.clear();
    const auto [last, inserted] = refused.try_emplace(reason, now);
    if (!inserted && now - last->second < std::chrono::seconds(10)) return false;
    last->second = now;
    return true;
  }

  std::map<std::string, std::chrono::steady_clock::time_point> refused;
  GrpcLog log;
  Service service;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

GrpcServer::GrpcServer(Coordinator& coordinator, const std::string& address,
                       const TlsIdentity& identity, Admission admit, double keepalive_seconds)
    : state_(std::make_unique<State>(coordinator, std::move(admit))) {
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = identity.ca;
  tls.pem_key_cert_pairs.push_back({identity.key, identity.certificate});
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::SslServerCredentials(tls), &state_->port);
  builder.RegisterService(&state_->service);
  builder.SetMaxReceiveMessageSize(kLargestMessage);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, milliseconds(keepalive_seconds));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, milliseconds(keepalive_seconds));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             milliseconds(kLeastKeepaliveSeconds / 2));
  // Otherwise a second server on the same port would receive half of the sites.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  state_->server = builder.BuildAndStart();
  if (!state_->server || state_->port == 0) {
    throw Error(
        Error::Kind::kNetwork,
        address + ": expected an address to listen on, found one that is in use or not ours");
  }
}

GrpcServer::~GrpcServer() { shut_down(); }

int GrpcServer::port() const { return state_->port; }

void GrpcServer::shut_down() { state_->server->Shutdown(std::chrono::system_clock::now()); }

}  // namespace firm
