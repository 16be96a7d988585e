//===- DeviceResources.h - Resources of effects -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resources of effects. Ops with effects on the same resource must stay in
// order, for these reasons: A use of a stream advances the stream. A remote
// buffer is identified by its symbol, which all replicas share, and not by an
// SSA value that would order its loads and stores. Code must be loaded before
// it is called.
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
/// The RNG states from which random bits are drawn.
struct RngResource : SideEffects::Resource::Base<RngResource> {
  StringRef getName() final { return "<RngState>"; }
};

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_DEVICERESOURCES_H
