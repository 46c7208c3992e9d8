// GrpcLog: connections that fail before there is a call, such as one by a peer without a
// certificate. gRPC tells about them in its log and nowhere else.
#pragma once

#include <functional>
#include <string>

namespace firm {

// As long as there is one, they are not printed on standard error; the rest of gRPC's log is.
class GrpcLog {
 public:
  // The function gets the reason; it is called from any thread, by one at a time. It may be empty,
  // and must not call gRPC.
  explicit GrpcLog(std::function<void(const std::string& reason)> on_refused);
  ~GrpcLog();
  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

}  // namespace firm
