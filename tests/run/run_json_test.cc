// The text of summary.json.
#include "run/store/run_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace firm {
namespace {

// A site of a federation gives the warnings of its data as they are: units in data files may be in
// Latin-1.
TEST(RunJson, ReplacesTextThatIsNotUtf8) {
  RunFacts facts;
  facts.study = "M\xfcller";
  facts.warnings = {"units of counts: \xb5stones"};
  const Summary summary;
  for (const std::string& text :
       {summary_json(summary, facts), reproducible_summary_json(summary, facts)}) {
    const auto json = nlohmann::json::parse(text);
    EXPECT_EQ(json.at("study"), "M\xef\xbf\xbdller");
    EXPECT_EQ(json.at("warnings").at(0), "units of counts: \xef\xbf\xbdstones");
  }
}

TEST(RunJson, ReplacesNamesThatAreNotUtf8InHistory) {
  RoundRecord record;
  record.residuals = {1};
  record.noise = {0};
  const auto json = nlohmann::json::parse(history_line(record, {"\xb5"}));
  EXPECT_EQ(json.at("residuals").begin().key(), "\xef\xbf\xbd");
}

}  // namespace
}  // namespace firm
