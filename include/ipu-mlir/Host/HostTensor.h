//===- HostTensor.h - Tensors on the host -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_HOSTTENSOR_H
#define IPU_MLIR_HOST_HOSTTENSOR_H

#include "ipu-mlir/Host/HostBytes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::ipu {

/// A tensor in host memory: row-major, little-endian, no padding; an i1 takes
/// one byte, 0 or 1.
struct HostTensor {
  RankedTensorType type;
  HostBytes data;
};

struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// Whether host tensors may have elements of `type`: integers of 1, 8, 16, 32
/// or 64 bits and floats of 8, 16, 32 or 64.
bool isHostElementType(Type type);

/// Bytes of one element in host and device memory (i1: 1).
int64_t getElementBytes(Type elementType);

/// Bytes of a tensor of `type`. None if it is not statically shaped, if it has
/// another element type, or if its elements or bytes do not fit int64.
std::optional<int64_t> getTensorBytes(RankedTensorType type);

/// A tensor of zeros. Fails if there is not enough memory, or if
/// `getTensorBytes` fails for the type.
FailureOr<HostTensor> allocateHostTensor(RankedTensorType type);

/// Whether the host can allocate `bytes` of memory. A failed allocation of a
/// vector would end the process.
bool hasHostMemory(int64_t bytes);

/// The value of `attr`, for all of its storages (dense, splat, resource).
/// Fails, with a diagnostic through `emitError`, for other kinds of
/// ElementsAttr.
FailureOr<HostTensor>
getHostTensor(ElementsAttr attr, function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_HOSTTENSOR_H
