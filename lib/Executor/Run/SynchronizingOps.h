//===- SynchronizingOps.h - Nodes that synchronize replicas -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All replicas must execute an op of the following kinds at the same time:
// collectives, transfers between the chip and the outside, and copies of code.
// Copies of code belong to these ops because a program loads the code of a
// function on all replicas at the same point. Replicas that take different
// branches do not execute an op at the same time. Therefore such branches must
// not contain an op of these kinds.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_SYNCHRONIZINGOPS_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_SYNCHRONIZINGOPS_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// An op that all replicas must execute together, and the calls through which
/// the program reaches it. The outermost call comes first.
struct SynchronizingOp {
  Operation *op = nullptr;
  SmallVector<Operation *> calls;
};

/// Returns the first SynchronizingOp in `bodies` or in their callees, or
/// std::nullopt if there is none.
std::optional<SynchronizingOp>
findSynchronizingOp(const Program &program,
                    ArrayRef<const ProgramSequence *> bodies);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_SYNCHRONIZINGOPS_H
