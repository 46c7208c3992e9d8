// RunDirectory: where a run keeps what it does.
//
//   study.toml      as resolved: every option, every default
//   history.jsonl   one line per round, while it goes
//   checkpoint.h5   while the run is under way, and after one that stopped before converging
//   chunks/         the same of a run in several chunks: their checkpoints, and those that are done
//   images.h5, recon/, overview.png, report.html, summary.json   at the end, in this order
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace firm {

class RunDirectory {
 public:
  enum class Start {
    kNew,        // refuses a directory that already holds a run
    kOverwrite,  // throws away the run that is there
    kResume      // goes on with the run that is there
  };

  // Creates the directory when needed (not for kResume); throws firm::Error when it cannot.
  RunDirectory(std::string path, Start start);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const;

  // Opens the history. Lines of rounds before `round` are kept: a resumed run repeats the others.
  void open_history(int round);
  // The same, with these lines in it.
  void open_history(const std::string& lines);
  // What is in it, as far as it was flushed.
  std::string history() const;
  // Throws firm::Error when the disk is full.
  void append_history(const std::string& line);
  void flush_history();

  void remove(const std::string& name) const;
  // Removes summary.json and report.html, which tell of an earlier end: rounds are about to follow.
  void forget_end() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> history_;
};

}  // namespace firm
