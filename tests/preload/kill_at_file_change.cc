// Preloaded into the program (LD_PRELOAD): kills it with SIGKILL right before its FIRM_KILL_AT-th
// rename or removal of a file, where a crash would be worst. Counts over all threads.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>

namespace {

void count_file_change() {
  static std::atomic<int> changes = 0;
  static const char* const limit = getenv("FIRM_KILL_AT");
  if (limit != nullptr && ++changes == atoi(limit)) kill(getpid(), SIGKILL);
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept {
  count_file_change();
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int remove(const char* path) noexcept {
  count_file_change();
  return next<int (*)(const char*)>("remove")(path);
}

int unlink(const char* path) noexcept {
  count_file_change();
  return next<int (*)(const char*)>("unlink")(path);
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  count_file_change();
  return next<int (*)(int, const char*, int)>("unlinkat")(directory, path, flags);
}

}  // extern "C"
