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

/// Every use of a stream moves it on, so no use can be dropped or merged. The same holds
/// for streaming memory and code, which other replicas and calls use.
class UsesResource<Resource resource>
  : MemoryEffects<[MemRead<resource>, MemWrite<resource>]>;

#endif // IPU_MLIR_INTERFACES_DEVICERESOURCES
