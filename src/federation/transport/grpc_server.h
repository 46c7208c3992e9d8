// GrpcServer: carries messages between a Coordinator and the sites that dial in, over mutual TLS.
//
// A site is who its certificate says. One port; nothing is listened on but that.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "federation/protocol/coordinator.h"
#include "federation/transport/grpc_limits.h"

namespace firm {

struct TlsIdentity {
  std::string ca;           // PEM
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// The name of the site with this certificate (PEM), which was signed by the authority; throws
// firm::Error when the site is not to be let in.
using Admission = std::function<std::string(const std::string& certificate)>;

class GrpcServer {
 public:
  // `address` is HOST:PORT; port 0 takes a free one. A site that does not answer a ping is lost
  // after two times `keepalive_seconds` without traffic. Throws firm::Error (kNetwork) when the
  // address cannot be listened on.
  GrpcServer(Coordinator& coordinator, const std::string& address, const TlsIdentity& identity,
             Admission admit, double keepalive_seconds = kKeepaliveSeconds);
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
