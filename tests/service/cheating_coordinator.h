// A coordinator that cheats: it has the coordinator's certificate, so that sites accept it, and
// passes their messages on to an honest one, and the answers back, as it likes.
#pragma once

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "federation/transport/grpc_channel.h"
#include "firm/v1/federation.grpc.pb.h"

namespace firm {

class CheatingCoordinator : public v1::Federation::Service {
 public:
  struct Lies {
    std::function<void(const std::string& site, v1::SiteMessage&)> of_site = {};
    std::function<void(const std::string& site, v1::CoordinatorMessage&)> to_site = {};
    // How often to send a message of the honest one; empty: once.
    std::function<int(const v1::CoordinatorMessage&)> copies = {};
  };

  // Listens as `coordinator`; dials the honest one at `port` as the sites.
  CheatingCoordinator(const TlsIdentity& coordinator, std::map<std::string, TlsIdentity> sites,
                      int port, Lies lies)
      : sites_(std::move(sites)),
        honest_(fmt::format("127.0.0.1:{}", port)),
        lies_(std::move(lies)) {
    grpc::SslServerCredentialsOptions tls(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    tls.pem_root_certs = coordinator.ca;
    tls.pem_key_cert_pairs.push_back({coordinator.key, coordinator.certificate});
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(tls), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~CheatingCoordinator() override { server_->Shutdown(std::chrono::system_clock::now()); }

  int port() const { return port_; }

  grpc::Status Join(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::SiteMessage>* stream) override {
    const auto names = context->auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
    const std::string site(names.at(0).data(), names.at(0).size());
    try {
      GrpcChannel honest(honest_, sites_.at(site), 20);
      const std::jthread up([&] {
        v1::SiteMessage message;
        try {
          while (stream->Read(&message)) {
            if (lies_.of_site) lies_.of_site(site, message);
            honest.send(message);
          }
        } catch (const ChannelLost&) {
          // The other direction ends, too.
        }
        honest.cancel();
      });
      pass_down(site, honest, *stream);
      context->TryCancel();  // so that `up` ends
    } catch (const std::exception&) {
      // The site dials again.
    }
    return grpc::Status::OK;
  }

 private:
  void pass_down(const std::string& site, GrpcChannel& honest,
                 grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::SiteMessage>& stream) const {
    try {
      for (;;) {
        v1::CoordinatorMessage message = honest.receive();
        if (lies_.to_site) lies_.to_site(site, message);
        for (int left = lies_.copies ? lies_.copies(message) : 1; left > 0; --left) {
          if (!stream.Write(message)) return;
        }
      }
    } catch (const ChannelLost&) {
      // The honest coordinator has closed the stream.
    }
  }

  std::map<std::string, TlsIdentity> sites_;
  std::string honest_;
  Lies lies_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace firm
