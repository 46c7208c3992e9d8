// Counts how often files are opened and read, by this process and its children.
#pragma once

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace firm {

class FileOpens {
 public:
  explicit FileOpens(const std::vector<std::string>& files)
      : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    for (const std::string& file : files) {
      // Events that are equal to the one before are merged; those of reading and closing keep two
      // opens apart.
      const int watch = ::inotify_add_watch(events_, file.c_str(), IN_OPEN | IN_ACCESS | IN_CLOSE);
      if (watch < 0) throw std::runtime_error("cannot watch " + file);
      names_[watch] = file;
    }
  }
  ~FileOpens() { ::close(events_); }
  FileOpens(const FileOpens&) = delete;
  FileOpens& operator=(const FileOpens&) = delete;

  // Times a file was opened since the watch began.
  int opened(const std::string& file) {
    collect();
    return opened_[file];
  }
  // Whether any file was read since the last call.
  bool any_read() {
    collect();
    return std::exchange(read_, false);
  }

 private:
  void collect() {
    std::array<char, 4096> buffer;
    for (ssize_t bytes = 0; (bytes = ::read(events_, buffer.data(), buffer.size())) > 0;) {
      for (std::size_t at = 0; at < static_cast<std::size_t>(bytes);) {
        inotify_event event;
        std::memcpy(&event, buffer.data() + at, sizeof event);
        if ((event.mask & IN_Q_OVERFLOW) != 0) ADD_FAILURE() << "events were lost";
        if ((event.mask & IN_OPEN) != 0) ++opened_[names_[event.wd]];
        if ((event.mask & IN_ACCESS) != 0) read_ = true;
        at += sizeof event + event.len;
      }
    }
  }

  int events_;
  std::map<int, std::string> names_;
  std::map<std::string, int> opened_;
  bool read_ = false;
};

}  // namespace firm
