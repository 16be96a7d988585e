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

/// The trait of ops that read and write a resource of the device. Each use of a stream
/// advances the stream, so passes cannot drop or merge ops that use the stream. Passes
/// also cannot drop or merge ops that use streaming memory or code, because other
/// replicas or calls use the same memory or code.
class UsesResource<Resource resource>
  : MemoryEffects<[MemRead<resource>, MemWrite<resource>]>;

#endif // IPU_MLIR_INTERFACES_DEVICERESOURCES
