// GrpcChannel: a site's stream to the coordinator, over mutual TLS.
#pragma once

#include <memory>
#include <string>

#include "federation/grpc_server.h"
#include "federation/site_channel.h"

namespace firm {

class GrpcChannel : public SiteChannel {
 public:
  // Dials `server`, HOST:PORT; waits up to `seconds` for an answer. Throws ChannelLost.
  GrpcChannel(const std::string& server, const TlsIdentity& identity, double seconds);
  ~GrpcChannel() override;

  void send(const v1::SiteMessage& message) override;
  v1::CoordinatorMessage receive() override;

  // Makes the two above throw; from any thread.
  void cancel();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firm
