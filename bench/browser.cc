#include "browser.h"

#include <fmt/format.h>
#include <httplib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace firm {
namespace {

constexpr const char* kChromium = "/usr/bin/chromium";
constexpr const char* kReady = "DevTools listening on ws://";
constexpr double kStartSeconds = 60;

std::vector<std::string> command(const std::string& directory) {
  return {kChromium,
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--remote-debugging-port=0",
          "--window-size=1280,900",
          "--user-data-dir=" + directory + "/browser",
          "about:blank"};
}

struct Process {
  pid_t parent = 0;
  double seconds = 0;  // of the processor: its own, and of children that have ended
};

// /proc/PID/stat: the number, the name in parentheses, the state, the parent as the 4th word, times
// in ticks as the 14th to the 17th.
Process parse_stat(const std::string& text) {
  std::istringstream words(text.substr(text.rfind(')') + 1));
  std::string skipped;
  Process process;
  words >> skipped >> process.parent;
  for (int word = 5; word < 14; ++word) words >> skipped;
  for (int word = 14; word <= 17; ++word) {
    double ticks = 0;
    words >> ticks;
    process.seconds += ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  return process;
}

std::map<pid_t, Process> all_processes() {
  std::map<pid_t, Process> processes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    // One that has just ended has none.
    if (std::getline(file, text)) processes[std::stoi(name)] = parse_stat(text);
  }
  return processes;
}

std::string address_of_tools(ChildProcess& process) {
  const std::string text = process.text_after(kReady, kStartSeconds);
  return "http://" + text.substr(0, text.find('/'));
}

nlohmann::json answer(const httplib::Result& result, const std::string& what) {
  if (!result || result->status != 200) throw std::runtime_error("Chromium does not " + what);
  return nlohmann::json::parse(result->body, nullptr, false);
}

}  // namespace

bool Browser::installed() { return std::filesystem::exists(kChromium); }

Browser::Browser(const std::string& directory)
    : process_(command(directory), directory + "/browser-printed"),
      address_(address_of_tools(process_)) {}

std::string Browser::open(const std::string& url) {
  httplib::Client client(address_);
  std::string encoded = url;
  if (const std::size_t at = url.find('#'); at != std::string::npos) encoded.replace(at, 1, "%23");
  return answer(client.Put("/json/new?" + encoded), "open a tab").at("id");
}

void Browser::close(const std::string& tab) {
  httplib::Client client(address_);
  answer(client.Get("/json/close/" + tab), "close a tab");
}

double Browser::processor_seconds() const {
  const std::map<pid_t, Process> all = all_processes();
  double seconds = 0;
  for (const auto& [id, process] : all) {
    pid_t ancestor = id;
    while (ancestor != process_.id() && all.contains(ancestor)) ancestor = all.at(ancestor).parent;
    if (ancestor == process_.id()) seconds += process.seconds;
  }
  return seconds;
}

}  // namespace firm
