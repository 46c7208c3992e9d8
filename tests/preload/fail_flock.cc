// Preloaded into the program (LD_PRELOAD): flock fails as on a file system without locks.
#include <errno.h>
#include <sys/file.h>

extern "C" int flock(int /*file*/, int /*operation*/) noexcept {
  errno = ENOLCK;
  return -1;
}
