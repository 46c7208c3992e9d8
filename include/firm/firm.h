// Includes the whole public API.
#pragma once

#include "firm/block.h"
#include "firm/error.h"
#include "firm/geometry.h"
#include "firm/norm.h"
#include "firm/observer.h"
#include "firm/options.h"
#include "firm/projector.h"
#include "firm/reconstruct.h"
#include "firm/run.h"
#include "firm/scan.h"
#include "firm/site_arrays.h"
#include "firm/solution.h"
#include "firm/study.h"
#include "firm/tools.h"
#include "firm/version.h"
