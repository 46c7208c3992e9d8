#include "io/tiff/tiff_detail.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace firm::tiff {
namespace {

struct Free {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

// Keeps the first complaint of the library, from which later ones follow, instead of printing it.
int keep_first_complaint(TIFF* /*file*/, void* text, const char* /*module*/, const char* format,
                         va_list arguments) {
  const int code = errno;
  auto& kept = *static_cast<std::string*>(text);
  if (kept.empty()) {
    char line[256] = "";
    std::vsnprintf(line, sizeof line, format, arguments);
    kept = line;
    // The library drops the message of the system, such as "No space left on device".
    if (code != 0) kept += std::string(": ") + std::strerror(code);
  }
  return 1;  // keeps the library from printing it
}

int ignore_warning(TIFF* /*file*/, void* /*data*/, const char* /*module*/, const char* /*format*/,
                   va_list /*arguments*/) {
  return 1;
}

}  // namespace

Handle open(const std::string& path, const char* mode, std::string& complaint,
            std::uintmax_t most_bytes) {
  const std::unique_ptr<TIFFOpenOptions, Free> options(TIFFOpenOptionsAlloc());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_first_complaint, &complaint);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_warning, nullptr);
  if (most_bytes > 0) {
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most_bytes));
  }
  return Handle(TIFFOpenExt(path.c_str(), mode, options.get()));
}

}  // namespace firm::tiff
