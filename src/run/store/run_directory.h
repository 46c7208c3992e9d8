// RunDirectory: the directory with all files of a run.
//
//   study.toml      as resolved: every option, every default
//   history.jsonl   one line per round, written during the run
//   checkpoint.h5   during the run, and after one that stopped before converging
//   chunks/         for a run in several chunks: checkpoints and finished chunks
//   lock            keeps other processes out during the run; see DirectoryLock
//   images.h5, recon/, overview.png, report.html, summary.json   at the end, in this order
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace firm {

// Name of the file that marks a directory as that of a run; empty: it holds none.
std::string mark_of_run(const std::string& path);
// Whether the directory holds no finished run, or one that left checkpoints or chunks to resume
// from.
bool is_unfinished_run(const std::string& path);

class RunDirectory {
 public:
  enum class Start {
    kNew,        // refuses a directory that already holds a run
    kOverwrite,  // removes an existing run
    kResume      // resumes an existing run
  };

  // Creates the directory if needed (not for kResume); throws firm::Error if it cannot.
  RunDirectory(std::string path, Start start);

  // Throws firm::Error (kUsage) if the directory holds a run.
  static void require_no_run(const std::string& path);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const;

  // Opens the history and keeps lines of rounds before `round`: a resumed run repeats the others.
  void open_history(int round);
  // Opens the history with these lines in it.
  void open_history(const std::string& lines);
  // Returns the flushed content of the history.
  std::string history() const;
  // Throws firm::Error if the disk is full.
  void append_history(const std::string& line);
  void flush_history();

  void remove(const std::string& name) const;
  // Removes summary.json and report.html of an earlier end, because more rounds follow.
  void forget_end() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> history_;
};

}  // namespace firm
