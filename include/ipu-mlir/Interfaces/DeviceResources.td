//===- DeviceResources.td - Effects that dialects share ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_DEVICERESOURCES
#define IPU_MLIR_INTERFACES_DEVICERESOURCES

include "mlir/Interfaces/SideEffectInterfaces.td"

def HostStreamResource : Resource<"::mlir::ipu::HostStreamResource">;
def RemoteMemoryResource : Resource<"::mlir::ipu::RemoteMemoryResource">;
def CodeResource : Resource<"::mlir::ipu::CodeResource">;
def RngResource : Resource<"::mlir::ipu::RngResource">;

/// Each use of a stream advances the stream, so passes cannot drop or merge uses. They
/// also cannot drop or merge uses of streaming memory and code, because other replicas
/// and calls use these.
class UsesResource<Resource resource>
  : MemoryEffects<[MemRead<resource>, MemWrite<resource>]>;

#endif // IPU_MLIR_INTERFACES_DEVICERESOURCES
