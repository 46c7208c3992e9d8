// Connects to the dashboard of a process.
#pragma once

#include <gtest/gtest.h>

#include "core/child_process.h"
#include "support/dashboard_client.h"
#include "support/wait_until.h"

namespace firm {

// Waits until the process has printed an address.
inline DashboardClient dashboard_of(ChildProcess& process, double patience = 60) {
  EXPECT_TRUE(process.prints("http://", patience) && process.prints("\n", patience))
      << process.output();
  return DashboardClient(process.output());
}

}  // namespace firm
