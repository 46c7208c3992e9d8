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

#include "child_checks.h"

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

struct ProcessTimes {
  pid_t parent = 0;
  double seconds = 0;  // processor time, with that of ended children
};

// Words of /proc/PID/stat: 1 the id, 2 the name in parentheses, 3 the state, 4 the parent, 14 to 17
// times in ticks.
ProcessTimes parse_stat(const std::string& text) {
  std::istringstream words(text.substr(text.rfind(')') + 1));
  std::string skipped;
  ProcessTimes process;
  words >> skipped >> process.parent;
  for (int word = 5; word < 14; ++word) words >> skipped;
  for (int word = 14; word <= 17; ++word) {
    double ticks = 0;
    words >> ticks;
    process.seconds += ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  return process;
}

std::map<pid_t, ProcessTimes> all_processes() {
  std::map<pid_t, ProcessTimes> processes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    // A process that has just ended has no file.
    if (std::getline(file, text)) processes[std::stoi(name)] = parse_stat(text);
  }
  return processes;
}

std::string devtools_address(ChildProcess& process) {
  const std::string text = require_text_after(process, kReady, kStartSeconds);
  return "http://" + text.substr(0, text.find('/'));
}

nlohmann::json answer(const httplib::Result& result, const std::string& what) {
  if (!result || result->status != 200) throw std::runtime_error("Chromium does not " + what);
  return nlohmann::json::parse(result->body, nullptr, false);
}

}  // namespace

bool Browser::installed() { return std::filesystem::exists(kChromium); }

Browser::Browser(const std::string& directory)
    : process_(command(directory), {.log = directory + "/browser-printed"}),
      address_(devtools_address(process_)) {}

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
  const std::map<pid_t, ProcessTimes> all = all_processes();
  double seconds = 0;
  for (const auto& [id, process] : all) {
    pid_t ancestor = id;
    while (ancestor != process_.id() && all.contains(ancestor)) ancestor = all.at(ancestor).parent;
    if (ancestor == process_.id()) seconds += process.seconds;
  }
  return seconds;
}

}  // namespace firm
