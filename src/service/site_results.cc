// Results of a site: files of the run, messages that publish images, and the count of both.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "federation/protocol/exchange.h"
#include "io/files/pending_file.h"
#include "run/store/run_output.h"
#include "service/site_work.h"

namespace firm {
namespace {

void each_chunk(std::size_t size, const auto& take) {
  for (std::size_t offset = 0; offset < size; offset += kChunkWords) {
    take(offset, std::min(kChunkWords, size - offset));
  }
}

v1::SiteMessage image_message(const std::string& run, const std::string& name, std::size_t offset,
                              std::span<const float> values) {
  v1::SiteMessage message;
  v1::Image& image = *message.mutable_image();
  image.set_run(run);
  image.set_name(name);
  image.set_offset(offset);
  image.set_values(values.data(), values.size_bytes());
  return message;
}

}  // namespace

void SiteWork::write_results(const Solution& solution, const Ledger& ledger) {
  directory_.flush_history();
  const Problem& problem = solver_->problem();
  const RunOutput output{directory_, problem.study(), problem.variables(),
                         resolved_,  facts_,          arguments_.truth};
  const Stopwatch watch;
  write_images(output, images_of(solution), solution.summary, callbacks_.progress);
  facts_.phases.emplace_back("writing images", watch.seconds());
  count_sent(ledger);
  const std::string summary = summary_json(solution.summary, facts_);
  write_report(output, summary, problem);
  write_text_file(directory_.file("summary.json"), summary);
  state_.done = true;
  keep_state();
}

void SiteWork::each_image_message(const std::function<void(const v1::SiteMessage&)>& send) const {
  for (const std::string& name : names_) {
    const Block image = read_images(directory_.file("images.h5"), name);
    each_chunk(image.values().size(), [&](std::size_t offset, std::size_t count) {
      send(image_message(state_.run, name, offset, image.values().subspan(offset, count)));
    });
  }
}

v1::SiteMessage SiteWork::done_message() const {
  v1::SiteMessage message;
  message.mutable_done()->set_run(state_.run);
  return message;
}

// Counts what was sent and what will be: summary and report are written before the last messages.
void SiteWork::count_sent(const Ledger& ledger) {
  Ledger::Sums all = ledger.total();
  const auto add = [&](const v1::SiteMessage& message) {
    ++all.messages;
    all.bytes += message.ByteSizeLong();
  };
  const std::vector<float> some(kChunkWords);
  for (const std::string& name : arguments_.publish ? names_ : std::vector<std::string>{}) {
    const Study& study = solver_->problem().study();
    each_chunk(study.pixels() * study.slices, [&](std::size_t offset, std::size_t count) {
      add(image_message(state_.run, name, offset, std::span(some).first(count)));
    });
  }
  add(done_message());
  facts_.federation->messages = all.messages;
  facts_.federation->bytes = all.bytes;
}

// The count differs from the one foreseen when the last messages had to be sent again.
void SiteWork::note_sent(const Ledger& ledger) const {
  if (!state_.done || state_.finished) return;
  const std::string path = directory_.file("summary.json");
  auto json = nlohmann::ordered_json::parse(read_text_file(path).value_or(""), nullptr, false);
  if (!json.is_object() || !json.contains("federation")) return;
  auto& federation = json["federation"];
  const Ledger::Sums all = ledger.total();
  if (federation.value("messages", std::uint64_t{0}) == all.messages &&
      federation.value("bytes", std::uint64_t{0}) == all.bytes) {
    return;
  }
  federation["messages"] = all.messages;
  federation["bytes"] = all.bytes;
  write_text_file(path, json.dump(2) + "\n");
}

void SiteWork::finish(const Ledger& ledger) {
  checkpoints_.remove_all();
  note_sent(ledger);
  if (state_.finished) return;
  state_.finished = true;
  keep_state();
}

}  // namespace firm
