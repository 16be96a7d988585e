//===- DeviceResources.h - Effects that dialects share ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are ordered by these: a use of a stream moves it on, a row of a remote
// buffer is one for all, and code can be called only once it is there.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_DEVICERESOURCES_H
#define IPU_MLIR_INTERFACES_DEVICERESOURCES_H

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::ipu {

struct HostStreamResource : SideEffects::Resource::Base<HostStreamResource> {
  StringRef getName() final { return "pop.host_stream"; }
};
struct RemoteMemoryResource
    : SideEffects::Resource::Base<RemoteMemoryResource> {
  StringRef getName() final { return "pop.remote_memory"; }
};
struct CodeResource : SideEffects::Resource::Base<CodeResource> {
  StringRef getName() final { return "pop.code"; }
};
/// The states that random bits are drawn from.
struct RngResource : SideEffects::Resource::Base<RngResource> {
  StringRef getName() final { return "<RngState>"; }
};

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_DEVICERESOURCES_H
