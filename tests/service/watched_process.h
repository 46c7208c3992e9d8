// A program with a dashboard.
#pragma once

#include <gtest/gtest.h>

#include "service/dashboard_client.h"
#include "support/process.h"

namespace firm {

// Once it has printed an address.
inline DashboardClient dashboard_of(Process& process, double patience = 60) {
  EXPECT_TRUE(process.prints("http://", patience) && process.prints("\n", patience))
      << process.output();
  return DashboardClient(process.output());
}

}  // namespace firm
