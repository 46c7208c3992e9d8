#include "service/coordinator_record.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "firm/error.h"
#include "io/files/pending_file.h"

namespace firm {

CoordinatorRecord::CoordinatorRecord(const std::string& directory)
    : path_((std::filesystem::path(directory) / "coordinator.json").string()) {
  read();
}

void CoordinatorRecord::read() {
  const std::optional<std::string> text = read_text_file(path_);
  if (!text) return;
  try {
    const auto json = nlohmann::json::parse(*text);
    state_ = {json.at("run").get<std::string>(), json.at("attempt").get<std::uint32_t>(),
              json.at("finished").get<bool>()};
    exchanges_ = json.value("exchanges", std::uint64_t{0});
    seconds_ = json.value("seconds", 0.0);
    const auto sites = json.value("sites", nlohmann::json::object());
    for (const auto& [site, bytes] : sites.items()) {
      bytes_[site] = {bytes.at("bytes_up").get<std::uint64_t>(),
                      bytes.at("bytes_down").get<std::uint64_t>()};
    }
  } catch (const nlohmann::json::exception&) {
    throw data_error({path_, "", "the state of a coordinator", "something else"});
  }
}

void CoordinatorRecord::write() {
  nlohmann::ordered_json json = {{"run", state_.run},
                                 {"attempt", state_.attempt},
                                 {"finished", state_.finished},
                                 {"exchanges", exchanges_.load()},
                                 {"seconds", seconds_so_far()}};
  for (const auto& [site, bytes] : bytes_) {
    json["sites"][site] = {{"bytes_up", bytes.up}, {"bytes_down", bytes.down}};
  }
  write_text_file(path_, json.dump() + "\n");
}

CoordinatorState CoordinatorRecord::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

double CoordinatorRecord::seconds() const {
  const std::lock_guard lock(mutex_);
  return seconds_so_far();
}

PeerBytes CoordinatorRecord::bytes(const std::string& site) const {
  const std::lock_guard lock(mutex_);
  const auto found = bytes_.find(site);
  return found == bytes_.end() ? PeerBytes{} : found->second;
}

void CoordinatorRecord::count(const std::string& site, const PeerBytes& more) {
  const std::lock_guard lock(mutex_);
  PeerBytes& sums = bytes_[site];
  sums.up += more.up;
  sums.down += more.down;
}

void CoordinatorRecord::keep(const CoordinatorState& state) {
  const std::lock_guard lock(mutex_);
  const CoordinatorState before = state_;
  const double seconds = seconds_;
  if (state.finished && !before.finished) seconds_ = seconds_so_far();
  state_ = state;
  try {
    write();
  } catch (const Error&) {
    state_ = before;
    seconds_ = seconds;
    throw;
  }
}

void CoordinatorRecord::keep_counts() {
  const std::lock_guard lock(mutex_);
  if (state_.run.empty() || state_.finished) return;
  try {
    write();
  } catch (const Error&) {
    // The file keeps the earlier counts.
  }
}

}  // namespace firm
