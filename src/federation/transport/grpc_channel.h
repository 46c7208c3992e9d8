// GrpcChannel: a site's stream to the coordinator, over mutual TLS.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "federation/protocol/site_channel.h"
#include "federation/transport/grpc_server.h"

namespace firm {

class GrpcChannel : public SiteChannel {
 public:
  // Receives the certificate (PEM) of a coordinator that TLS has accepted; throws to refuse it.
  using AcceptServer = std::function<void(const std::string& certificate)>;

  // Connects to `server`, HOST:PORT; waits up to `seconds` for an answer. Throws ChannelLost, and
  // firm::Error (kNetwork) when trying again cannot help. A coordinator that does not answer a ping
  // counts as lost after two times `keepalive_seconds` without traffic. Calls `accept`, if there is
  // one, before anything is sent.
  GrpcChannel(const std::string& server, const TlsIdentity& identity, double seconds,
              double keepalive_seconds = kKeepaliveSeconds, const AcceptServer& accept = {});
  ~GrpcChannel() override;

  // Connects and disconnects. Throws as the constructor does, but opens no stream, so that it does
  // not disturb a run in progress.
  static void probe(const std::string& server, const TlsIdentity& identity, double seconds);

  void send(const v1::SiteMessage& message) override;
  v1::CoordinatorMessage receive() override;

  // Makes send and receive throw; may be called from any thread.
  void cancel();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firm
