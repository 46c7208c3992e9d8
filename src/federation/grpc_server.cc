#include "federation/grpc_server.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <thread>

#include "federation/grpc_limits.h"
#include "firm/error.h"
#include "firm/v1/federation.grpc.pb.h"

namespace firm {
namespace {

// Messages on their way to a site.
class Queue {
 public:
  void push(const ToSite& message) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    messages_.push_back(message);
    changed_.notify_one();
  }
  // What has been pushed is still handed out.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }
  // None when the queue is closed and empty.
  ToSite pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !messages_.empty(); });
    if (messages_.empty()) return nullptr;
    ToSite message = messages_.front();
    messages_.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ToSite> messages_;
  bool closed_ = false;
};

// The certificate of the peer, which gRPC has verified to be the authority's.
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
      return {grpc::StatusCode::PERMISSION_DENIED, refused.what()};
    }
    serve(site, *stream);
    return grpc::Status::OK;
  }

 private:
  using Stream = grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::SiteMessage>;

  void serve(const std::string& site, Stream& stream) {
    const auto queue = std::make_shared<Queue>();
    std::jthread writer([&] {
      while (const ToSite message = queue->pop()) {
        if (!stream.Write(*message)) break;
      }
    });
    const std::uint64_t connection =
        coordinator_.connect(site, [queue](const ToSite& message) { queue->push(message); });
    v1::SiteMessage message;
    while (connection != 0 && stream.Read(&message)) {
      if (!coordinator_.receive(site, connection, message)) break;
    }
    if (connection != 0) coordinator_.disconnect(site, connection);
    queue->close();
    writer.join();
  }

  Coordinator& coordinator_;
  Admission admit_;
};

}  // namespace

struct GrpcServer::State {
  State(Coordinator& coordinator, Admission admit) : service(coordinator, std::move(admit)) {}

  Service service;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

GrpcServer::GrpcServer(Coordinator& coordinator, const std::string& address,
                       const TlsIdentity& identity, Admission admit)
    : state_(std::make_unique<State>(coordinator, std::move(admit))) {
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = identity.ca;
  tls.pem_key_cert_pairs.push_back({identity.key, identity.certificate});
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::SslServerCredentials(tls), &state_->port);
  builder.RegisterService(&state_->service);
  builder.SetMaxReceiveMessageSize(kLargestMessage);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kKeepaliveMs / 2);
  // A second server on the same port would get half of the sites.
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
