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
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ipu {

/// A tensor in host memory. Its elements are little-endian, in row-major order
/// and without padding. An i1 takes one byte, 0 or 1.
struct HostTensor {
  RankedTensorType type;
  HostBytes data;
};

struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// Tensors by their names.
using TensorMap = std::map<std::string, HostTensor>;

/// Returns whether host tensors may have elements of `type`: integers of 1, 8,
/// 16, 32 or 64 bits, and floats of 8, 16, 32 or 64 bits.
bool isHostElementType(Type type);

/// Returns the number of bytes of one element in host and device memory. An i1
/// takes one byte.
int64_t getElementBytes(Type elementType);

/// Returns the number of bytes of a tensor of `type`. Returns std::nullopt if
/// the shape is not static, if isHostElementType() does not hold for the
/// element type, or if the number of elements or bytes does not fit int64.
std::optional<int64_t> getTensorBytes(RankedTensorType type);

/// Returns a tensor of zeros. Fails if there is not enough memory, or if
/// getTensorBytes() returns std::nullopt for the type.
FailureOr<HostTensor> allocateHostTensor(RankedTensorType type);

/// Returns whether the host can allocate `bytes` of memory. Call this function
/// before a vector is allocated, because a failure to allocate the vector would
/// end the process.
bool hasHostMemory(int64_t bytes);

/// Returns the value of `attr`, which may be dense, a splat or a resource. For
/// other kinds of ElementsAttr, emits an error through `emitError` and fails.
FailureOr<HostTensor>
getHostTensor(ElementsAttr attr, function_ref<InFlightDiagnostic()> emitError);

/// Returns the value of `tensor` as an attribute.
DenseElementsAttr getDenseElements(const HostTensor &tensor);

/// Parses a tensor with elements of type `elementType`: a number, `true`,
/// `false`, or a list of such elements or lists of equal shapes, such as
/// `[[1, 2], [3, 4]]`. Floats are rounded to nearest even. Fails for another
/// text, and for an integer that the type cannot represent.
llvm::Expected<HostTensor> parseTensorLiteral(StringRef text, Type elementType);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_HOSTTENSOR_H
