// GrpcServer: carries messages between a Coordinator and the sites that dial in, over mutual TLS.
//
// The certificate of a site identifies it. The server listens on one port only. A site has one
// stream: a newer one replaces it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "federation/gate/connection_gate.h"
#include "federation/pki/secret_text.h"
#include "federation/protocol/coordinator.h"
#include "federation/transport/grpc_limits.h"

namespace firm {

struct TlsIdentity {
  std::string ca;           // PEM
  std::string certificate;  // PEM
  SecretText key;           // PEM
};

// Returns the name of the site with this certificate (PEM), which the authority has signed. Throws
// firm::Error when the site may not connect.
using Admission = std::function<std::string(const std::string& certificate)>;

struct ServerLimits {
  // A site that does not answer a ping counts as lost after two times this long without traffic.
  double keepalive_seconds = kKeepaliveSeconds;
  double handshake_seconds = kHandshakeSeconds;
  LobbyLimits connections = {};  // of peers that have not shown a certificate yet
};

class GrpcServer {
 public:
  // `address` is HOST:PORT; port 0 selects a free one. Throws firm::Error (kNetwork) when it cannot
  // listen on the address.
  GrpcServer(Coordinator& coordinator, const std::string& address, const TlsIdentity& identity,
             Admission admit, const ServerLimits& limits = {});
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  int port() const;

  // Closes all streams.
  void shut_down();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firm
