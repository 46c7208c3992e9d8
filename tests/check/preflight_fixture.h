// A small study in a temporary directory, and the findings of `firm check` about it.
#pragma once

#include <gtest/gtest.h>

#include "check/preflight.h"
#include "io/study/study_file.h"
#include "sim/simulate.h"
#include "support/temporary_directory.h"

namespace firm {

class Preflight : public ::testing::Test {
 protected:
  using Level = Finding::Level;

  Preflight() {
    SimulateOptions options;
    options.size = 8;
    options.angles = 5;
    options.threads = 1;
    write_simulation(simulate(options), directory_ / "study");
    arguments_.study = directory_ / "study/study.toml";
    machine_ = {current_instant(), std::uint64_t{1} << 40,
                [](const std::string&) { return std::uint64_t{1} << 40; }};
  }

  // Runs the checks and stores the findings. Returns the exit code.
  int check() {
    findings_.clear();
    return preflight(arguments_, machine_, [&](const Finding& f) { findings_.push_back(f); });
  }

  // Returns the finding of this level and subject, or nullptr.
  const Finding* find(Level level, const std::string& subject) const {
    for (const Finding& f : findings_) {
      if (f.level == level && f.subject == subject) return &f;
    }
    return nullptr;
  }
  std::size_t count(Level level) const {
    return static_cast<std::size_t>(std::count_if(
        findings_.begin(), findings_.end(), [&](const Finding& f) { return f.level == level; }));
  }

  void expect_good() {
    EXPECT_EQ(check(), 0);
    for (const Finding& f : findings_) {
      EXPECT_TRUE(f.level == Level::kOk) << f.subject << ": " << f.text;
      EXPECT_EQ(f.fix, "") << f.subject;
    }
  }
  // Expects exactly one finding of this level, containing `text` and `fix`.
  void expect_one(Level level, const std::string& subject, const std::string& text,
                  const std::string& fix) {
    EXPECT_EQ(count(level), 1u);
    const Finding* found = find(level, subject);
    ASSERT_NE(found, nullptr) << subject;
    EXPECT_CONTAINS(found->text, text);
    EXPECT_CONTAINS(found->fix, fix);
  }
  void expect_problem(int code, const std::string& subject, const std::string& text,
                      const std::string& fix) {
    EXPECT_EQ(check(), code);
    expect_one(Level::kError, subject, text, fix);
  }
  void expect_warning(const std::string& subject, const std::string& text, const std::string& fix) {
    EXPECT_EQ(check(), 0);
    expect_one(Level::kWarning, subject, text, fix);
  }
  // Expects no errors and no warnings about the subject.
  void expect_ok(const std::string& subject, const std::string& text) {
    check();
    EXPECT_EQ(find(Level::kError, subject), nullptr);
    EXPECT_EQ(find(Level::kWarning, subject), nullptr);
    const Finding* found = find(Level::kOk, subject);
    ASSERT_NE(found, nullptr) << subject;
    EXPECT_CONTAINS(found->text, text);
  }

  template <typename Change>
  void change_study(const Change& change) {
    StudyFile file = read_study(arguments_.study);
    change(file);
    write_study(arguments_.study, file);
  }

  TemporaryDirectory directory_;
  PreflightArguments arguments_;
  Machine machine_;
  std::vector<Finding> findings_;
};

}  // namespace firm
