//===- SerializeOptions.h - Options of serialization ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_SERIALIZEOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_SERIALIZEOPTIONS_H

#include <cstdint>

namespace mlir::pop {

/// The dimension that is divided of matmuls without a mark.
enum class ChosenSerializeMode {
  /// The dimension for which a part of the matmul needs the fewest bytes.
  Best,
  InputChannels,
  ReducingDim,
  OutputChannels,
};

/// The greatest number of parts of a matmul.
constexpr int64_t kMaxSerializeFactor = 1024;

/// The least bytes of the operands and the result, together, of a matmul that
/// is divided by default.
constexpr int64_t kMinSerializedBytes = 1 << 18;

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_SERIALIZEOPTIONS_H
