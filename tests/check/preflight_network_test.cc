// `firm check` of certificates, addresses and servers.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "check/preflight_fixture.h"
#include "federation/pki/describe.h"
#include "federation/pki/pinned_keys.h"
#include "federation/pki/revocation.h"
#include "federation/transport/grpc_server.h"
#include "support/certificates.h"
#include "support/loopback.h"

namespace firm {
namespace {

const std::vector<std::string> kSites = {"xrf-1", "xrf-2", "xrf-3", "xrt"};

// Listens on a port of this machine; sends nothing, or the same answer to every client.
class Listener {
 public:
  explicit Listener(const std::string& answer = "") : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at = loopback(0);
    auto* address = reinterpret_cast<sockaddr*>(&at);
    socklen_t size = sizeof(at);
    if (::bind(socket_, address, size) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, address, &size) != 0) {
      throw std::runtime_error("no socket");
    }
    port_ = ntohs(at.sin_port);
    if (!answer.empty()) thread_ = std::jthread([this, answer] { serve(answer); });
  }
  ~Listener() {
    stop();
    if (thread_.joinable()) thread_.join();
    ::close(socket_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }
  // Refuses connections from now on; the port stays in use.
  void stop() const { ::shutdown(socket_, SHUT_RDWR); }

 private:
  void serve(const std::string& answer) const {
    for (int peer = 0; (peer = ::accept(socket_, nullptr, nullptr)) >= 0; ::close(peer)) {
      EXPECT_GE(::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL), 0);
      ::shutdown(peer, SHUT_WR);
      char rest[512];
      while (::recv(peer, rest, sizeof(rest), 0) > 0) {
      }
    }
  }

  int socket_;
  int port_ = 0;
  std::jthread thread_;
};

// A coordinator that is listening.
class Listening {
 public:
  explicit Listening(const TlsIdentity& identity)
      : coordinator_(options(), {}, observer()),
        server_(coordinator_, "127.0.0.1:0", identity, [](const std::string&) { return "xrf-1"; }) {
  }

  std::string address() const { return fmt::format("127.0.0.1:{}", server_.port()); }
  const std::string& log() const { return log_; }

 private:
  static CoordinatorOptions options() {
    CoordinatorOptions o;
    o.sites = kSites;
    return o;
  }
  CoordinatorObserver observer() {
    CoordinatorObserver o;
    o.on_event = [this](const std::string& line) { log_ += line + "\n"; };
    return o;
  }

  std::string log_;
  Coordinator coordinator_;
  GrpcServer server_;
};

class PreflightNetworkTest : public Preflight {
 protected:
  PreflightNetworkTest() {
    // Ignore a proxy in the environment of the test.
    for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) ::unsetenv(name);
    pin_keys(arguments_.study, certificates_.authority());
    be_site("xrf-1");
  }

  void be_site(const std::string& name) {
    arguments_.name = name;
    arguments_.pki = certificates_.home(name);
  }
  void be_coordinator() {
    arguments_.name = "";
    arguments_.pki = certificates_.authority();
  }
  void days_pass(int days) { machine_.now += std::chrono::days(days); }

  Certificates certificates_{kSites};
};

// ---- certificates ------------------------------------------------------------------------------

TEST_F(PreflightNetworkTest, DescribesGoodCertificates) {
  expect_good();
  expect_ok("certificate", "CN = xrf-1");
  be_coordinator();
  expect_good();
  expect_ok("certificate", "CN = coordinator");
  expect_ok("hosts", "localhost, 127.0.0.1, ::1");
  expect_ok("enrolment", "every site has a TLS certificate");
  bool shown = false;
  for (const Finding& f : findings_) {
    shown |=
        f.text.find(grouped(certificates_.coordinator().ca.fingerprint, 0)) != std::string::npos;
  }
  EXPECT_TRUE(shown);
}

TEST_F(PreflightNetworkTest, ReportsMissingKey) {
  std::filesystem::remove(certificates_.home("xrf-1") + "/xrf-1.key");
  expect_problem(4, "certificate", "expected the site's private key", "firm pki show");
}

TEST_F(PreflightNetworkTest, RefusesKeyReadableByOthers) {
  ASSERT_EQ(::chmod((certificates_.home("xrf-1") + "/xrf-1.key").c_str(), 0644), 0);
  expect_problem(4, "certificate", "run: chmod 600", "firm pki show");
}

TEST_F(PreflightNetworkTest, RefusesCertificateOfAnotherSite) {
  const std::string home = certificates_.home("xrf-1");
  std::filesystem::copy_file(certificates_.home("xrf-2") + "/xrf-2.crt", home + "/xrf-1.crt",
                             std::filesystem::copy_options::overwrite_existing);
  expect_problem(4, "certificate", "expected the certificate of xrf-1", "firm pki show");
}

TEST_F(PreflightNetworkTest, RefusesCertificateOfAnotherAuthority) {
  const Certificates others(kSites);
  std::filesystem::copy_file(others.authority() + "/ca.crt",
                             certificates_.home("xrf-1") + "/ca.crt",
                             std::filesystem::copy_options::overwrite_existing);
  expect_problem(4, "certificate", "not signed by this authority", "firm pki show");
}

TEST_F(PreflightNetworkTest, WarnsMonthBeforeCertificateExpires) {
  days_pass(kLeafDays - 31);
  expect_good();
  days_pass(2);
  expect_warning("certificate", "29 days left", "firm pki request --dir");
  be_coordinator();
  expect_warning("certificate", "29 days left", "--renew");
}

TEST_F(PreflightNetworkTest, ExplainsHowToRenewExpiredCertificate) {
  days_pass(kLeafDays + 1);
  machine_.now +=
      std::chrono::hours(1);  // certificates are made a little after the start of the test
  expect_problem(4, "certificate", "EXPIRED 1 day ago", "firm pki request --dir");
  be_coordinator();
  expect_problem(4, "certificate", "EXPIRED 1 day ago", "--renew");
}

TEST_F(PreflightNetworkTest, SuspectsClockWhenCertificateIsNotYetValid) {
  days_pass(-1);
  expect_problem(4, "certificate", "valid in 2", "the clock of this machine");
}

TEST_F(PreflightNetworkTest, RefusesKeyThatStudyDoesNotName) {
  const std::string key = certificates_.of("xrf-1").certificate.key_fingerprint;
  change_study([&](StudyFile& f) { f.sites[0].key = key; });
  expect_good();
  expect_ok("key", "the one that the study names");
  certificates_.enrol("xrf-1");
  be_site("xrf-1");
  expect_problem(4, "key", key.substr(0, 16), "put the new one into the study");
}

TEST_F(PreflightNetworkTest, WarnsAboutSitesWithoutKeyInStudy) {
  expect_ok("keys", "the study names the key of every site");
  change_study([](StudyFile& f) { f.sites[1].key = ""; });
  expect_warning("keys", "the study names no key for xrf-2: ", "firm pki pin STUDY --dir PKI");
  be_coordinator();
  expect_warning("keys", "the study names no key for xrf-2: ", "firm pki pin STUDY --dir PKI");
  arguments_.insecure = true;
  check();
  EXPECT_EQ(find(Level::kWarning, "keys"), nullptr);
}

TEST_F(PreflightNetworkTest, ChecksRevocationList) {
  const std::string list = certificates_.authority() + "/ca.crl";
  const auto send = [&] {
    std::filesystem::copy_file(list, certificates_.home("xrf-1") + "/ca.crl",
                               std::filesystem::copy_options::overwrite_existing);
  };
  revoke_certificates({certificates_.authority(), "xrf-2"}, machine_.now);
  send();
  expect_good();
  expect_ok("revocation", "with 1 certificate, valid until");
  revoke_certificates({certificates_.authority(), "", 20}, machine_.now);
  send();
  expect_warning("revocation", "20 days left", "firm pki revoke --dir PKI");
  revoke_certificates({certificates_.authority(), "xrf-1"}, machine_.now);
  send();
  expect_problem(4, "revocation", "found the certificate of xrf-1", "from the authority");
  days_pass(181);
  expect_problem(4, "revocation", "ca.crl: validity", "the newest ca.crl");
}

TEST_F(PreflightNetworkTest, NamesSitesWithoutCertificate) {
  change_study([](StudyFile& f) { f.sites[1].name = "argonne"; });
  be_coordinator();
  expect_warning("enrolment", "no valid TLS certificate yet for argonne", "firm pki sign");
  change_study([](StudyFile& f) { f.sites[1].name = "xrf-2"; });
  certificates_.enrol("xrf-3", Certificates::long_ago());
  expect_warning("enrolment", "xrf-3 (expired", "firm pki sign");
  std::filesystem::remove(certificates_.authority() + "/issued.jsonl");
  expect_problem(4, "enrolment", "issued.jsonl", "a copy");
}

// ---- listening ---------------------------------------------------------------------------------

TEST_F(PreflightNetworkTest, ProbesListenAddress) {
  be_coordinator();
  arguments_.listen = "0.0.0.0:0";
  expect_good();
  arguments_.listen = "127.0.0.1:0";
  expect_warning("listen", "only this machine can connect", "0.0.0.0");
  arguments_.listen = "192.0.2.1:7443";
  expect_problem(4, "listen", "Cannot assign requested address", "an address of this machine");
  const Listener other;
  arguments_.listen = other.address();
  expect_problem(4, "listen", "Address already in use", "another port");
  for (const char* nonsense : {"7443", "host:", "host:70000", "host:http", ":7443", "::1:7443"}) {
    arguments_.listen = nonsense;
    expect_problem(4, "listen", "expected HOST:PORT", "[2001:db8::7]:7443");
  }
}

// ---- connecting --------------------------------------------------------------------------------

TEST_F(PreflightNetworkTest, DoesNotDisturbRunningCoordinator) {
  const Listening coordinator(identity_of(certificates_.coordinator()));
  arguments_.server = coordinator.address();
  expect_good();
  expect_ok("server", "something listens there");
  expect_ok("tls", "accepts the certificate of xrf-1");
  EXPECT_EQ(coordinator.log(), "");
}

TEST_F(PreflightNetworkTest, ReportsRefusedConnection) {
  const Listener gone;
  gone.stop();
  arguments_.server = gone.address();
  expect_problem(4, "server", "Connection refused", "check that the coordinator is running");
  arguments_.server = "recon.example.org";
  expect_problem(4, "server", "expected HOST:PORT", "recon.example.org:7443");
}

TEST_F(PreflightNetworkTest, RefusesCoordinatorOfAnotherAuthority) {
  const Certificates others(kSites);
  const Listening coordinator(identity_of(others.coordinator()));
  arguments_.server = coordinator.address();
  expect_problem(4, "tls", "another authority", "fingerprint");
}

TEST_F(PreflightNetworkTest, RefusesCertificateForAnotherHost) {
  renew_coordinator(certificates_.authority(), {"recon.example.org"}, current_instant());
  const Listening coordinator(identity_of(certificates_.coordinator()));
  arguments_.server = coordinator.address();
  expect_problem(4, "tls", "expected a certificate for the host 127.0.0.1", "hosts");
}

TEST_F(PreflightNetworkTest, ReportsThatSiteIsNotAccepted) {
  const Certificates others(kSites);
  TlsIdentity identity = identity_of(certificates_.coordinator());
  identity.ca = others.coordinator().ca_pem;
  const Listening coordinator(identity);
  arguments_.server = coordinator.address();
  expect_problem(4, "tls", "does not accept this site's certificate", "fingerprint");
}

TEST_F(PreflightNetworkTest, RecognizesServerWithoutTls) {
  const Listener web("HTTP/1.0 400 Bad Request\r\n\r\n");
  arguments_.server = web.address();
  expect_problem(4, "tls", "without TLS", "fingerprint");
}

TEST_F(PreflightNetworkTest, NeedsCertificateToCheckTls) {
  const Listening coordinator(identity_of(certificates_.coordinator()));
  arguments_.server = coordinator.address();
  arguments_.pki = "";
  expect_warning("tls", "not checked", "--pki");
}

TEST_F(PreflightNetworkTest, NamesProxyOfEnvironment) {
  const Listening coordinator(identity_of(certificates_.coordinator()));
  arguments_.server = coordinator.address();
  const Listener proxy("HTTP/1.0 403 Forbidden\r\n\r\n");
  ::setenv("https_proxy", fmt::format("http://me:secret@{}/", proxy.address()).c_str(), 1);
  EXPECT_EQ(check(), 4);
  ::unsetenv("https_proxy");
  expect_one(Level::kWarning, "server",
             "https_proxy: the site connects through the proxy 127.0.0.1:", "no_proxy");
  expect_one(Level::kError, "tls", coordinator.address(), "fingerprint");
}

}  // namespace
}  // namespace firm
