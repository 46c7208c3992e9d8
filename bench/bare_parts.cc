// The coordinator and the sites of a bare federation.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "bare_federation.h"
#include "core/malloc_tuning.h"
#include "core/timing.h"
#include "federation/protocol/key_exchange.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/grpc_channel.h"
#include "federation/transport/remote_exchange.h"
#include "sim/noise.h"
#include "socket_bytes.h"
#include "solve/method.h"
#include "support/certificates.h"

namespace firm {
namespace {

constexpr double kLimitSeconds = 120;
constexpr int kWarmUp = 5;
constexpr std::size_t kBlock = 10;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// VmHWM of this process, in bytes.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    double kib = 0;
    if (word == "VmHWM:" && status >> kib) return 1024 * kib;
  }
  return 0;
}

void print(const std::string& key, double value) {
  fmt::print("{}: {:.9g}\n", key, value);
  std::fflush(stdout);
}

// ---- the coordinator ---------------------------------------------------------------------------

void run_coordinator_part(const BareFederation& f) {
  const Credentials credentials =
      load_coordinator_credentials(f.root + "/coordinator", current_instant());
  CoordinatorOptions options;
  options.sites = bare_site_names(f.sites);
  options.most_words = f.words;
  options.secure = f.secure;
  CoordinatorObserver observer;
  double cpu_before = 0;
  std::uint64_t last = 0;
  observer.on_exchange = [&](std::uint64_t exchange, std::uint64_t) {
    if (exchange + 1 == kWarmUp) cpu_before = cpu_seconds();
    last = exchange;
  };
  Coordinator coordinator(options, {}, observer);
  GrpcServer server(coordinator, "127.0.0.1:0", identity_of(credentials),
                    [&](const std::string& certificate) {
                      return verify_site(certificate, credentials.ca_pem, current_instant());
                    });
  print("idle", peak_memory());
  print("port", server.port());
  while (!coordinator.finished()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  print("cpu", (cpu_seconds() - cpu_before) / static_cast<double>(last + 1 - kWarmUp));
  print("peak", peak_memory());
  while (coordinator.connected()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// ---- a site ------------------------------------------------------------------------------------

v1::Begin join(GrpcChannel& channel, Ledger& ledger, const std::string& name) {
  v1::SiteMessage hello;
  hello.mutable_hello()->set_protocol(kProtocol);
  hello.mutable_hello()->set_site(name);
  send_recorded(channel, ledger, hello);
  for (;;) {
    const v1::CoordinatorMessage message = receive_within_attempt(channel);
    if (message.has_begin()) return message.begin();
  }
}

void leave(GrpcChannel& channel, Ledger& ledger, const std::string& run) {
  v1::SiteMessage done;
  done.mutable_done()->set_run(run);
  send_recorded(channel, ledger, done);
  while (!receive_within_attempt(channel).has_finished()) {
  }
}

// Means over blocks of rounds: a single sum can be short because this site was the last to join it.
std::vector<double> block_means(const std::vector<double>& ends) {
  std::vector<double> means;
  for (std::size_t k = kBlock; k < ends.size(); k += kBlock) {
    means.push_back((ends[k] - ends[k - kBlock]) / kBlock);
  }
  std::sort(means.begin(), means.end());
  return means;
}

void measure_sums(Collective& collective, const BareFederation& f, std::uint64_t stream) {
  std::vector<float> share(f.words);
  Random random(1, stream);
  for (float& x : share) x = static_cast<float>(random.uniform());
  std::vector<float> vector(f.words);
  Scalars scalars;
  const auto sum = [&] {
    std::copy(share.begin(), share.end(), vector.begin());
    collective.sum(vector, scalars.span());
  };
  for (int k = 0; k < kWarmUp; ++k) sum();
  const SocketBytes bytes_before = socket_bytes();
  const double cpu_before = cpu_seconds();
  const Stopwatch watch;
  std::vector<double> ends = {0};
  for (int k = 0; k < f.rounds; ++k) {
    sum();
    ends.push_back(watch.seconds());
  }
  const SocketBytes bytes = socket_bytes();
  const std::vector<double> means = block_means(ends);
  print("least", means.front());
  print("median", means[means.size() / 2]);
  print("cpu", (cpu_seconds() - cpu_before) / f.rounds);
  print("up", (bytes.sent - bytes_before.sent) / f.rounds);
  print("down", (bytes.received - bytes_before.received) / f.rounds);
}

void run_site_part(const BareFederation& f, std::size_t index, const std::string& port) {
  const std::string name = bare_site_names(f.sites).at(index);
  const std::string directory = f.root + "/" + name;
  const Credentials credentials = load_site_credentials(directory, name, current_instant());
  Ledger ledger(directory + "/ledger.jsonl");
  GrpcChannel channel("127.0.0.1:" + port, identity_of(credentials), kLimitSeconds);
  const v1::Begin begin = join(channel, ledger, name);
  RemoteExchange exchange = join_attempt({channel, ledger, credentials, name, "bare", {}}, begin);
  FixedPointCollective collective(exchange);
  measure_sums(collective, f, index);
  leave(channel, ledger, begin.run());
}

}  // namespace

bool run_as_part(const std::vector<std::string>& a) {
  if (a.size() < 6 || (a[0] != kCoordinatorPart && a[0] != kSitePart)) return false;
  tune_malloc();
  const BareFederation f{a[1], std::stoul(a[2]), std::stoul(a[3]), std::stoi(a[4]), a[5] == "1"};
  if (a[0] == kCoordinatorPart) {
    run_coordinator_part(f);
  } else {
    run_site_part(f, std::stoul(a.at(6)), a.at(7));
  }
  return true;
}

}  // namespace firm
