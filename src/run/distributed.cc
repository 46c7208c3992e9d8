#include "run/distributed.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/files/json_file.h"
#include "run/reconstruct.h"

namespace firm {

using Json = nlohmann::json;

void do_together(Processes& processes, const std::function<void()>& work) {
  std::optional<Error> error;
  try {
    work();
  } catch (const Error& e) {
    error = e;
  }
  // The process of the lowest rank that has an error throws it.
  const int here = error ? static_cast<int>(processes.count() - processes.rank()) : 0;
  int numbers[] = {here, error ? error->exit_code() : 0};
  processes.largest(numbers);
  if (numbers[0] == 0) return;
  if (numbers[0] == here) throw *error;
  throw NotThisProcess(static_cast<Error::Kind>(numbers[1]));
}

std::vector<PreparationNote> gather_notes(const std::vector<PreparationNote>& own,
                                          Processes& processes) {
  Json json = Json::array();
  for (const PreparationNote& n : own) json.push_back({n.site, n.json, n.lines});
  const std::string text = json_text(json);
  std::map<std::size_t, PreparationNote> notes;  // shards of a site have the same note
  for (const std::string& bytes : processes.gather(text)) {
    for (const Json& n : Json::parse(bytes)) {
      notes[n[0]] = {n[0], n[1], n[2].get<std::vector<std::string>>()};
    }
  }
  std::vector<PreparationNote> ordered;
  for (const auto& [site, note] : notes) ordered.push_back(note);
  return ordered;
}

void share_weighted(const std::vector<bool>& own, Processes& processes, Study& study) {
  std::vector<int> weighted(own.begin(), own.end());
  processes.largest(weighted);
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    study.sites[i].weighted_values = weighted[i] == 1;
  }
}

std::vector<ShardResult> gather_results(std::vector<ShardResult> own, Processes& processes) {
  if (processes.count() == 1) return own;
  const std::string bytes = processes.rank() == 0 ? "" : to_bytes(own);
  for (std::string& packed : processes.gather(bytes)) {
    if (packed.empty()) continue;
    for (ShardResult& result : results_from_bytes(packed)) own.push_back(std::move(result));
    packed = {};
  }
  return own;
}

}  // namespace firm
