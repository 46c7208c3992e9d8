#include "paper/paper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/parallel.h"
#include "firm/error.h"
#include "firm/version.h"
#include "io/files/pending_file.h"
#include "paper/item.h"

namespace firm::paper {
namespace {

std::vector<std::unique_ptr<Item>> chosen_items(const std::vector<std::string>& only) {
  const std::vector<std::string> names = item_names();
  for (const std::string& name : only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw usage_error({"--only", "", fmt::format("{}", fmt::join(names, ", ")), name});
    }
  }
  std::vector<std::unique_ptr<Item>> items = all_items();
  if (only.empty()) return items;
  std::erase_if(items, [&](const std::unique_ptr<Item>& item) {
    return std::find(only.begin(), only.end(), item->name()) == only.end();
  });
  return items;
}

}  // namespace

std::vector<std::unique_ptr<Item>> all_items() {
  std::vector<std::unique_ptr<Item>> items;
  items.push_back(make_data());
  items.push_back(make_table1());
  items.push_back(make_ratio());
  items.push_back(make_fedpgd());
  items.push_back(make_multimodal());
  items.push_back(make_plsqr());
  items.push_back(make_beyond());
  items.push_back(make_priors());
  items.push_back(make_absorption());
  return items;
}

std::vector<Task> make_tasks(const std::vector<Trial>& trials) {
  std::vector<Task> tasks;
  for (const Trial& trial : trials) tasks.push_back(make_task(trial));
  return tasks;
}

std::vector<std::string> item_names() {
  std::vector<std::string> names;
  for (const auto& item : all_items()) names.push_back(item->name());
  return names;
}

Page make_paper(const PaperArguments& arguments, const CampaignCallbacks& callbacks) {
  const auto items = chosen_items(arguments.only);
  const int threads = thread_count(arguments.threads);
  Results results(arguments.out);
  make_directory(arguments.out + "/data");
  make_directory(arguments.out + "/figures");

  std::vector<Task> tasks;
  for (const auto& item : items) {
    for (Task& task : item->tasks(arguments.plan)) tasks.push_back(std::move(task));
  }
  run_tasks(std::move(tasks), threads, results, callbacks);

  Page page;
  page.subtitle = fmt::format("firm {}, {} plan, {} threads.", kVersion,
                              arguments.plan.quick ? "quick" : "full", threads);
  for (const auto& item : items) {
    page.sections.push_back(item->report(arguments.plan, results, arguments.out));
  }
  write_text_file(arguments.out + "/paper.json", page_json(page));
  write_text_file(arguments.out + "/paper.html", page_html(page));
  return page;
}

}  // namespace firm::paper
