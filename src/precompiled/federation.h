// The same as library.h, for sources that use gRPC.
#pragma once

#include <grpcpp/grpcpp.h>

#include "firm/v1/federation.grpc.pb.h"
#include "precompiled/library.h"
