//===- Serialization.h - Matmuls in parts -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matmul of shapes [..., m, k] and [..., k, n] can be divided into parts that
// run one after the other and have the same bits. The attribute `pop.serialize`
// of a matmul requests this; pop-serialize-matmuls creates the parts.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_SERIALIZATION_H
#define IPU_MLIR_DIALECT_POP_IR_SERIALIZATION_H

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

namespace mlir::pop {

/// The dimension of a matmul that is divided. The names are those of PopART,
/// which describe the matmul of a layer.
enum class SerializeMode {
  /// The rows of the result: m.
  InputChannels,
  /// The positions that are summed: k.
  ReducingDim,
  /// The columns of the result: n.
  OutputChannels,
};

constexpr SerializeMode kSerializeModes[] = {SerializeMode::InputChannels,
                                             SerializeMode::ReducingDim,
                                             SerializeMode::OutputChannels};

StringRef stringifySerializeMode(SerializeMode mode);

/// The division of a matmul into parts.
struct Serialization {
  SerializeMode mode;
  /// The number of parts.
  int64_t factor;
  /// If this flag is set, the number of parts is the greatest possible one of
  /// at most `factor`. Gradients of marked matmuls have such marks, because the
  /// accumulation orders of their sums allow other numbers of parts.
  bool isLimit = false;
};

/// Attribute of a `pop.matmul`: a dictionary of `mode` (a string), `factor` (an
/// i64) and, if `factor` is a limit, the unit attribute `limit`.
constexpr StringLiteral kSerializeAttrName = "pop.serialize";

/// Returns whether `value` is a valid value of this attribute.
bool isSerialization(Attribute value);
/// Returns the mark of `op`, or std::nullopt if it has none.
std::optional<Serialization> getSerialization(MatmulOp op);
void setSerialization(MatmulOp op, const Serialization &serialization);

/// Returns the dimension that `mode` divides, counted from the end of the
/// shape of the result, or 0 if the result does not have it.
int64_t getResultDimFromEnd(SerializeMode mode);

/// Builds the part of `op` with the positions `start` to `start + size` - 1 of
/// the dimension that `mode` divides. If `mode` is ReducingDim, the sums of the
/// part start from `acc`, which may be null; otherwise `acc` is the `acc` of
/// the whole op. The positions end at borders of the op's order of
/// accumulation.
Value buildMatmulPart(PopBuilder &b, MatmulOp op, SerializeMode mode,
                      int64_t start, int64_t size, Value acc);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_SERIALIZATION_H
