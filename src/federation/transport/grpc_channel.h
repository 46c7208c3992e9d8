// GrpcChannel: a site's stream to the coordinator, over mutual TLS.
#pragma once

#include <memory>
#include <string>

#include "federation/transport/grpc_server.h"
#include "federation/protocol/site_channel.h"

namespace firm {

class GrpcChannel : public SiteChannel {
 public:
  // Dials `server`, HOST:PORT; waits up to `seconds` for an answer. Throws ChannelLost. A
  // coordinator that does not answer a ping is lost after two times `keepalive_seconds` without
  // traffic.
  GrpcChannel(const std::string& server, const TlsIdentity& identity, double seconds,
              double keepalive_seconds = kKeepaliveSeconds);
  ~GrpcChannel() override;

  // Dials, and hangs up: throws as the constructor does, but opens no stream, so that a run that is
  // under way does not notice.
  static void try_out(const std::string& server, const TlsIdentity& identity, double seconds);

  void send(const v1::SiteMessage& message) override;
  v1::CoordinatorMessage receive() override;

  // Makes the two above throw; from any thread.
  void cancel();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firm
