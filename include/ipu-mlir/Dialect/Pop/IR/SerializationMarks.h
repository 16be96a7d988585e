//===- SerializationMarks.h - Marks for serialization -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes by which a program says which of its tensors have a batch, and
// which of its loops belong together.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_SERIALIZATIONMARKS_H
#define IPU_MLIR_DIALECT_POP_IR_SERIALIZATIONMARKS_H

#include "mlir/Support/LLVM.h"

namespace mlir::pop {

/// Attribute of an argument of a function, or of an op with one result: the
/// batch axis of the tensor, that is, the dimension along which
/// `pop-batch-serialize` divides it (an i64).
constexpr StringLiteral kBatchAxisAttrName = "pop.batch_axis";

/// Attribute of a loop: the name of a group of loops (a string), all of which
/// `pop-merge-loops` must merge into one loop.
constexpr StringLiteral kMergeGroupAttrName = "pop.merge_group";

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_SERIALIZATIONMARKS_H
