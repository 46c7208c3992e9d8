// library.h, and gRPC for the sources that use it.
#pragma once

#include <grpcpp/grpcpp.h>

#include "firm/v1/federation.grpc.pb.h"
#include "precompiled/library.h"
