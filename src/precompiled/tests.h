// library.h, and GoogleTest for tests.
#pragma once

#include <gtest/gtest.h>

#include "precompiled/library.h"
