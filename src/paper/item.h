// Item: a table or figure of the paper, with the tasks it needs and the section that shows it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paper/campaign.h"
#include "paper/plan.h"
#include "paper/section.h"

namespace firm::paper {

class Item {
 public:
  Item() = default;
  virtual ~Item() = default;
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;

  virtual std::string name() const = 0;  // as in --only
  virtual std::vector<Task> tasks(const Plan& plan) const = 0;
  // Writes data and pictures into out/data and out/figures, which must exist.
  virtual Section report(const Plan& plan, const Results& results,
                         const std::string& out) const = 0;
};

std::unique_ptr<Item> make_table1();
std::unique_ptr<Item> make_ratio();
std::unique_ptr<Item> make_fedpgd();
std::unique_ptr<Item> make_multimodal();
std::unique_ptr<Item> make_plsqr();
std::unique_ptr<Item> make_data();
std::unique_ptr<Item> make_beyond();
std::unique_ptr<Item> make_priors();
std::unique_ptr<Item> make_absorption();

// All items, in the order of the page.
std::vector<std::unique_ptr<Item>> all_items();

// Makes one task per trial.
std::vector<Task> make_tasks(const std::vector<Trial>& trials);

}  // namespace firm::paper
