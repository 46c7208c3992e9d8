// A Coordinator behind a GrpcServer on the loopback interface, with sites and other clients.
#pragma once

#include <fmt/format.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "federation/protocol/admission.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/grpc_channel.h"
#include "federation/transport/remote_exchange.h"
#include "firm/v1/federation.grpc.pb.h"
#include "firm/version.h"
#include "support/certificates.h"
#include "support/wait_until.h"

namespace firm {

inline std::shared_ptr<grpc::ChannelCredentials> tls_with(const TlsIdentity& identity) {
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = identity.ca;
  tls.pem_private_key = identity.key.text();
  tls.pem_cert_chain = identity.certificate;
  return grpc::SslCredentials(tls);
}

// The end of a call made directly with gRPC.
struct Answer {
  grpc::Status status;
  std::string refusal;  // empty: none
};

class GrpcFederation : public ::testing::Test {
 protected:
  static constexpr double kPatience = 20;  // seconds
  const std::vector<std::string> sites_ = {"a", "b", "c"};

  CoordinatorOptions options() const {
    CoordinatorOptions o;
    for (const char* field : {"image rows", "image columns"}) {
      v1::Term term;
      term.set_field(field);
      term.set_value("4");
      o.terms.push_back(term);
    }
    o.sites = sites_;
    o.most_words = 1 << 20;
    o.secure = false;
    return o;
  }

  void start() { start(identity_of(certificates_.coordinator())); }
  void start(const TlsIdentity& identity) {
    server_.reset();
    log_.clear();
    CoordinatorObserver observer;
    observer.on_event = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_ += line + "\n";
    };
    coordinator_ = std::make_unique<Coordinator>(options(), CoordinatorState{}, observer);
    server_ = std::make_unique<GrpcServer>(
        *coordinator_, "127.0.0.1:0", identity,
        admission_by(certificates_.authority(), certificates_.coordinator().ca_pem));
  }

  std::string address() const { return fmt::format("127.0.0.1:{}", server_->port()); }

  bool has_logged(const std::string& part) {
    return wait_until(kPatience, [&] {
      const std::lock_guard lock(mutex_);
      return log_.find(part) != std::string::npos;
    });
  }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  // The Hello of a site of this study.
  v1::SiteMessage hello(const std::string& site) const {
    v1::SiteMessage message;
    v1::Hello& h = *message.mutable_hello();
    h.set_protocol(kProtocol);
    h.set_software(kVersion);
    h.set_site(site);
    for (const v1::Term& term : options().terms) *h.add_terms() = term;
    return message;
  }

  std::unique_ptr<GrpcChannel> dial(const std::string& site) const {
    return std::make_unique<GrpcChannel>(address(), identity_of(certificates_.of(site)), kPatience);
  }

  // Sends Hello and waits for Begin.
  static v1::Begin greet(SiteChannel& channel, const v1::SiteMessage& hello) {
    channel.send(hello);
    v1::CoordinatorMessage message = channel.receive();
    while (!message.has_begin()) message = channel.receive();
    return message.begin();
  }

  // Expects that the coordinator still serves the sites: makes a sum over all of them.
  void expect_served() {
    TemporaryDirectory directory;
    std::vector<double> sums(sites_.size(), 1);
    std::vector<std::unique_ptr<GrpcChannel>> channels;
    for (const std::string& site : sites_) channels.push_back(dial(site));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          Ledger ledger(directory / sites_[i]);
          const v1::Begin begin = greet(*channels[i], hello(sites_[i]));
          RemoteExchange exchange(
              {channels[i].get(), &ledger, sites_[i], begin.attempt(), sites_.size(), {}});
          FixedPointCollective(exchange).sum({}, std::span(&sums[i], 1));
        } catch (const std::exception& e) {
          ADD_FAILURE() << sites_[i] << ": " << e.what();
          channels[i]->cancel();
        }
      });
    }
    threads.clear();
    EXPECT_EQ(sums, std::vector<double>(sites_.size(), static_cast<double>(sites_.size())));
  }

  std::shared_ptr<grpc::Channel> channel_with(
      const std::shared_ptr<grpc::ChannelCredentials>& credentials) const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(address(), credentials, arguments);
  }

  // Sends these messages as a client, and reads to the end.
  Answer call(const std::shared_ptr<grpc::ChannelCredentials>& credentials,
              const std::vector<v1::SiteMessage>& messages,
              grpc_compression_algorithm compression = GRPC_COMPRESS_NONE) const {
    const auto stub = v1::Federation::NewStub(channel_with(credentials));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    context.set_compression_algorithm(compression);
    const auto stream = stub->Join(&context);
    for (const v1::SiteMessage& message : messages) stream->Write(message);
    Answer answer;
    v1::CoordinatorMessage got;
    while (stream->Read(&got)) {
      if (got.has_refusal()) answer.refusal = got.refusal().message();
    }
    answer.status = stream->Finish();
    return answer;
  }

  // Sends raw bytes as site a, in place of a message.
  grpc::Status call_with_bytes(const std::string& bytes, const std::string& method) const {
    grpc::GenericStub stub(channel_with(tls_with(identity_of(certificates_.of("a")))));
    grpc::CompletionQueue queue;
    const auto wait = [&queue] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const auto call = stub.PrepareCall(&context, method, &queue);
    call->StartCall(nullptr);
    wait();
    const grpc::Slice slice(bytes);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    wait();
    grpc::ByteBuffer answer;
    do {
      call->Read(&answer, nullptr);
    } while (wait());
    grpc::Status status;
    call->Finish(&status, nullptr);
    wait();
    return status;
  }

  Certificates certificates_{sites_};
  std::mutex mutex_;
  std::string log_;
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<GrpcServer> server_;
};

}  // namespace firm
