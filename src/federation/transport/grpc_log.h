// GrpcLog: reports connections that fail before a call, such as one from a peer without a
// certificate. gRPC writes them to its log and reports them nowhere else.
#pragma once

#include <functional>
#include <string>

namespace firm {

// While an object exists, these failures are not printed on standard error; the rest of gRPC's log
// is, without control characters of a peer, and not more of it than a few lines in a minute.
class GrpcLog {
 public:
  // `on_refused` may be called from any thread, but never from two at once. It may be empty, and
  // must not call gRPC.
  explicit GrpcLog(std::function<void(const std::string& reason)> on_refused);
  ~GrpcLog();
  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

}  // namespace firm
