//===- DeviceResources.h - Resources of effects -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resources that order ops: the use of a stream advances it, all replicas share
// the symbol of a remote buffer's row, and code must be loaded before a call.
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
