//===- Fuse.h - The fuse dialect --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules of fused loops. See docs/fusion.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_IR_FUSE_H
#define IPU_MLIR_DIALECT_FUSE_IR_FUSE_H

#include "ipu-mlir/Support/DialectAttributes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

#include "ipu-mlir/Dialect/Fuse/IR/FuseDialect.h.inc"
#include "ipu-mlir/Dialect/Fuse/IR/FuseEnums.h.inc"

namespace mlir::fuse {

/// A step of #fuse.schedule: the kind of a transform of loops, and the numbers
/// that the attribute states for it. `numbers` is not owned by the step; the
/// storage of the attribute owns a copy. The numbers of each kind are:
///   split    {axis, factor, 1 if inner}
///   merge    {outer, inner}
///   reorder  the permutation
///   rfactor  the axes
///   type     {axis, LoopType}
struct ScheduleStep {
  StepKind kind;
  ArrayRef<int64_t> numbers;

  bool operator==(const ScheduleStep &other) const {
    return kind == other.kind && numbers == other.numbers;
  }
};
llvm::hash_code hash_value(const ScheduleStep &step);
/// Copies `steps` and their numbers into memory of `allocator`. Returns the
/// copy.
ArrayRef<ScheduleStep> copySteps(AttributeStorageAllocator &allocator,
                                 ArrayRef<ScheduleStep> steps);

/// Returns whether a schedule has a tensor for the results of `op`. A schedule
/// has a tensor for each linalg op on tensors, except for `linalg.fill`,
/// because its values need no loop.
bool isScheduleTensor(Operation *op);

} // namespace mlir::fuse

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Fuse/IR/FuseAttrs.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Fuse/IR/FuseOps.h.inc"

#endif // IPU_MLIR_DIALECT_FUSE_IR_FUSE_H
