#include "paper/results.h"

#include <filesystem>
#include <fstream>

#include "firm/error.h"
#include "firm/version.h"
#include "io/files/pending_file.h"

namespace firm::paper {

Results::Results(const std::string& directory)
    : directory_((std::filesystem::path(directory) / "results").string()) {
  make_directory(directory_);
}

std::string Results::path(const std::string& id) const {
  return (std::filesystem::path(directory_) / (id + ".json")).string();
}

bool Results::has(const std::string& id) {
  if (done_.contains(id)) return true;
  std::ifstream file(path(id));
  if (!file) return false;
  const Json json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("version") || json.value("id", "") != id ||
      !json.contains("result")) {
    throw data_error({path(id), "", "a result of firm paper",
                      "something else; delete the file to compute it again"});
  }
  if (json["version"] != kVersion) return false;
  done_[id] = json["result"];
  return true;
}

void Results::put(const std::string& id, const Json& result) {
  const Json json = {{"id", id}, {"version", kVersion}, {"result", result}};
  write_text_file(path(id), json.dump() + "\n");
  const std::lock_guard lock(mutex_);
  done_[id] = result;
}

const Json& Results::get(const std::string& id) const {
  const auto found = done_.find(id);
  FIRM_CHECK(found != done_.end());
  return found->second;
}

}  // namespace firm::paper
