#include "federation/transport/grpc_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <thread>

#include "federation/protocol/site_queue.h"
#include "federation/transport/grpc_limits.h"
#include "federation/transport/grpc_log.h"
#include "federation/transport/grpc_notes.h"
#include "firm/error.h"
#include "firm/v1/federation.grpc.pb.h"

namespace firm {
namespace {

// Lines of one kind. The coordinator takes 60 lines about connections, and one more every 5 s: the
// three kinds here and one line of the gate in 10 s together are not more.
LimitedNotes notes(int burst, Coordinator& coordinator) {
  return {burst, std::chrono::seconds(30),
          [&coordinator](const std::string& line) { coordinator.note(line); }};
}

// Returns the peer's certificate; gRPC has verified that the authority signed it.
std::string certificate_of(const grpc::ServerContext& context) {
  const auto found = context.auth_context()->FindPropertyValues("x509_pem_cert");
  return found.size() == 1 ? std::string(found[0].data(), found[0].size()) : "";
}

// The streams, one for each name in a certificate. A replaced stream would otherwise hold its
// threads for as long as the peer keeps it open.
class Streams {
 public:
  explicit Streams(ConnectionGate& gate) : gate_(gate) {}

  // Ends the stream that the site had before, once its refusal has had time to arrive. `connection`
  // is the coordinator's number: of two streams that come at once, the larger one stays. It is 0
  // for a name that is not in the study.
  void replace(const std::string& site, std::uint64_t connection, ConnectionGate::Ticket ticket) {
    const std::lock_guard lock(mutex_);
    Both& both = all_[site];
    if (both.now == ticket) return;
    if (connection < both.connection) return gate_.end(ticket, 0);
    gate_.end(both.before, 0);
    gate_.end(both.now, kLeaveSeconds);
    both = {connection, ticket, both.now};
  }

 private:
  static constexpr double kLeaveSeconds = 1;
  struct Both {
    std::uint64_t connection = 0;
    ConnectionGate::Ticket now = 0;
    ConnectionGate::Ticket before = 0;
  };

  ConnectionGate& gate_;
  std::mutex mutex_;
  std::map<std::string, Both> all_;  // as many as the authority has certified
};

class Service final : public v1::Federation::Service {
 public:
  // A peer has `leave_seconds` to take what is sent to it after its stream has ended.
  Service(Coordinator& coordinator, ConnectionGate& gate, Admission admit, double leave_seconds)
      : coordinator_(coordinator),
        gate_(gate),
        streams_(gate),
        admit_(std::move(admit)),
        leave_seconds_(leave_seconds),
        refusals_(notes(15, coordinator)),
        failures_(notes(15, coordinator)) {}

  grpc::Status Join(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::SiteMessage>* stream) override {
    // First of all: a peer may begin any number of streams before it has read that one is allowed.
    const std::optional<PeerAddress> from = PeerAddress::parse(context->peer());
    const OnlyStream only{gate_, from ? gate_.begin_stream(*from) : 0};
    if (only.ticket == 0) {
      return {grpc::StatusCode::UNAVAILABLE, "the connection has timed out, or had another stream"};
    }
    std::string site;
    const grpc::Status status = admit(*context, site);
    if (!status.ok()) return status;
    if (!gate_.admit(only.ticket)) {
      return {grpc::StatusCode::UNAVAILABLE, "the connection has timed out"};
    }
    stream->SendInitialMetadata();  // a site may look at the certificate before it says anything
    return serve(*context, site, only.ticket, *stream);
  }

 private:
  // While this exists, the connection takes no other stream.
  struct OnlyStream {
    ConnectionGate& gate;
    ConnectionGate::Ticket ticket;
    ~OnlyStream() { gate.end_stream(ticket); }
  };

  using Stream = grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::SiteMessage>;

  // Sets the name of the site whose certificate the peer has, or returns why it may not connect.
  grpc::Status admit(const grpc::ServerContext& context, std::string& site) {
    try {
      site = admit_(certificate_of(context));
      return {};
    } catch (const Error& refused) {
      refusals_.note(fmt::format("{}: refused: {}", context.peer(), refused.what()));
      if (refused.kind() == Error::Kind::kNetwork) {
        return {grpc::StatusCode::PERMISSION_DENIED, refused.what()};
      }
      // For example, the list of certificates is just being copied: the site may try again.
      return {grpc::StatusCode::UNAVAILABLE,
              "the coordinator cannot read its list of certificates at present"};
    }
  }

  // Lets the writer end: also when the peer does not read, so that its last message stays unsent.
  struct CloseAtExit {
    SiteQueue& queue;
    ConnectionGate& gate;
    ConnectionGate::Ticket ticket;
    double seconds;
    ~CloseAtExit() {
      queue.close();
      gate.end(ticket, seconds);
    }
  };

  grpc::Status serve(const grpc::ServerContext& context, const std::string& site,
                     ConnectionGate::Ticket ticket, Stream& stream) {
    const auto queue = std::make_shared<SiteQueue>([this, ticket] { gate_.end(ticket, 0); });
    std::jthread writer([&] {
      queue->send_all([&](const v1::CoordinatorMessage& message) {
        const bool written = stream.Write(message);
        if (written) coordinator_.sent(site, message.ByteSizeLong());
        return written;
      });
    });
    const CloseAtExit close{*queue, gate_, ticket, leave_seconds_};  // `writer` waits for it
    const std::uint64_t connection =
        coordinator_.connect(site, [queue](const ToSite& message) { queue->push(message); });
    streams_.replace(site, connection, ticket);
    if (connection == 0) return {};
    grpc::Status status = listen(context, site, {connection, ticket}, stream);
    if (queue->overflowed()) coordinator_.note(site + ": does not read what it is sent");
    coordinator_.disconnect(site, connection);
    return status;
  }

  struct Connection {
    std::uint64_t number = 0;  // the coordinator's
    ConnectionGate::Ticket ticket = 0;
  };

  // Reads messages until the site disconnects, is refused, or cannot be served.
  grpc::Status listen(const grpc::ServerContext& context, const std::string& site,
                      const Connection& connection, Stream& stream) {
    try {
      v1::SiteMessage message;
      while (stream.Read(&message)) {
        gate_.took(connection.ticket, message.ByteSizeLong());
        // An attempt may begin long after the site has connected. The site dials again, maybe with
        // a renewed certificate, and then learns why.
        std::string same;
        if (message.has_hello() && !admit(context, same).ok()) {
          return {grpc::StatusCode::UNAVAILABLE,
                  "the certificate of this connection is no longer accepted"};
        }
        if (!coordinator_.receive(site, connection.number, message)) return grpc::Status::OK;
      }
    } catch (const std::exception& e) {  // such as a full disk
      failures_.note(fmt::format("{}: cannot be served: {}", site, e.what()));
      return {grpc::StatusCode::INTERNAL, "the coordinator cannot continue at present"};
    }
    // Only a site that is still connected receives this.
    return {grpc::StatusCode::INVALID_ARGUMENT,
            fmt::format("expected a message of protocol {}, found bytes that are none", kProtocol)};
  }

  Coordinator& coordinator_;
  ConnectionGate& gate_;
  Streams streams_;
  Admission admit_;
  const double leave_seconds_;
  LimitedNotes refusals_;  // of certificates
  LimitedNotes failures_;
};

GateOptions gate_options(const std::string& address, const ServerLimits& limits) {
  GateOptions options;
  options.address = address;
  options.limits = limits.connections;
  options.handshake_seconds = limits.handshake_seconds;
  options.unsent_seconds = limits.keepalive_seconds;
  return options;
}

std::shared_ptr<grpc::ServerCredentials> credentials_of(const TlsIdentity& identity) {
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = identity.ca;
  tls.pem_key_cert_pairs.push_back({identity.key.text(), identity.certificate});
  auto credentials = grpc::SslServerCredentials(tls);
  wipe(tls.pem_key_cert_pairs[0].private_key);
  return credentials;
}

// gRPC limits the size of a message before it decompresses it: one of a kilobyte could take a
// thousand times as much. Sites do not compress.
void refuse_compression(grpc::ServerBuilder& builder) {
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
}

}  // namespace

struct GrpcServer::State {
  State(Coordinator& coordinator, const GateOptions& options, Admission admit)
      : outsiders(notes(20, coordinator)),
        gate(options, [&coordinator](const std::string& line) { coordinator.note(line); }),
        log([this](const std::string& reason) { note_refused(reason); }),
        service(coordinator, gate, std::move(admit), options.handshake_seconds) {}

  // Limits the log to one line per reason and address in ten seconds, since a refused site keeps
  // retrying. gRPC does not say whose handshake failed, so the line names the newest of those that
  // it may be. GrpcLog never calls this from two threads at once.
  void note_refused(const std::string& reason) {
    constexpr std::size_t kMostHosts = 8;
    constexpr std::size_t kMostLines = 64;  // any client can cause new ones
    std::vector<std::string> hosts = gate.hosts_in_handshake();
    const std::size_t more = hosts.size() - std::min(hosts.size(), kMostHosts);
    hosts.resize(hosts.size() - more);
    std::sort(hosts.begin(), hosts.end());
    const std::string line =
        fmt::format("a connection was refused: {} (from {}", reason, fmt::join(hosts, " or "));
    const auto now = std::chrono::steady_clock::now();
    if (refused.size() >= kMostLines) refused.clear();
    const auto [last, inserted] = refused.try_emplace(line, now);
    if (!inserted && now - last->second < std::chrono::seconds(10)) return;
    last->second = now;
    outsiders.note(line + (more == 0 ? ")" : fmt::format(" or {} more)", more)));
  }

  LimitedNotes outsiders;
  std::map<std::string, std::chrono::steady_clock::time_point> refused;
  ConnectionGate gate;
  GrpcLog log;
  Service service;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
  std::unique_ptr<grpc::Server> server;
};

GrpcServer::GrpcServer(Coordinator& coordinator, const std::string& address,
                       const TlsIdentity& identity, Admission admit, const ServerLimits& limits)
    : state_(
          std::make_unique<State>(coordinator, gate_options(address, limits), std::move(admit))) {
  grpc::ServerBuilder builder;
  state_->acceptor = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      credentials_of(identity));
  builder.RegisterService(&state_->service);
  builder.SetMaxReceiveMessageSize(kLargestMessage);
  refuse_compression(builder);
  const int keepalive = milliseconds(limits.keepalive_seconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             milliseconds(kLeastKeepaliveSeconds / 2));
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             milliseconds(limits.handshake_seconds));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1);
  state_->server = builder.BuildAndStart();
  if (!state_->server) {
    throw Error(Error::Kind::kNetwork,
                address + ": expected TLS keys that fit their certificate, found others");
  }
  state_->gate.start([this](int socket) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = socket;
    state_->acceptor->HandleNewConnection(&connection);
  });
}

GrpcServer::~GrpcServer() { shut_down(); }

int GrpcServer::port() const { return state_->gate.port(); }

void GrpcServer::shut_down() {
  state_->gate.stop();
  state_->server->Shutdown(std::chrono::system_clock::now());
}

}  // namespace firm
