#include <fmt/format.h>

#include <CLI/App.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "interrupt.h"
#include "live/finished_runs.h"
#include "live/server.h"
#include "verbs.h"

namespace firm {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  std::string listen = "127.0.0.1:0";
};

class FinishedRuns : public EventStream {
 public:
  explicit FinishedRuns(const std::string& document) : document_(document) {}
  Events next() override {
    return {fmt::format("event: document\ndata: {}\n\nevent: end\ndata: {{}}\n\n", document_),
            true};
  }

 private:
  const std::string& document_;
};

void run(const Arguments& a) {
  const ListenAddress address = parse_listen_address("--listen", a.listen);
  const std::string document = finished_runs_document(a.runs);
  ServerSource source;
  source.document = [&] { return std::string(document); };
  source.images = [] { return std::string(); };
  source.events = [&] { return std::make_unique<FinishedRuns>(document); };
  catch_interrupts();
  const Server server(address, source);
  fmt::print("dashboard: {}\nOpen this address in a browser; Ctrl-C ends.\n", server.url());
  std::fflush(stdout);
  const std::string warning = exposure_warning(address, "see the runs");
  if (!warning.empty()) fmt::print(stderr, "{}\n", warning);
  while (!interrupt_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

void add_view(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  CLI::App* verb =
      app.add_subcommand("view", "Show a finished run in a browser, or compare several");
  verb->add_option("RUN", a->runs, "Run directories")->required();
  verb->add_option("--listen", a->listen,
                   "PORT or HOST:PORT; without HOST, only this machine can connect")
      ->capture_default_str();
  verb->footer(
      "Shows the report of one run, or numbers, curves and images of several runs side by side.\n"
      "To watch a running reconstruction, use --dashboard of firm recon, site or coordinator.\n"
      "See docs/dashboard.md.\n"
      "\n"
      "Example:\n"
      "  firm recon study/study.toml --out joint\n"
      "  firm recon study/study.toml --out alone --method pgd\n"
      "  firm view joint alone");
  verb->callback([a] { run(*a); });
}

}  // namespace firm
