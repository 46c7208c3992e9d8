// The same as library.h, for tests.
#pragma once

#include <gtest/gtest.h>

#include "precompiled/library.h"
