//===- SynchronizingOps.h - Nodes that synchronize replicas -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All replicas execute collectives, and transfers to and from outside of the
// chip, including loads of code, at the same time. None of them can be where
// replicas take different branches. The same holds for copies of code, because
// the code of a function is loaded at one point of the program on all replicas.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_SYNCHRONIZINGOPS_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_SYNCHRONIZINGOPS_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// An op that all replicas execute together, and the calls that lead to it,
/// outermost first.
struct SynchronizingOp {
  Operation *op = nullptr;
  SmallVector<Operation *> calls;
};

/// The first such op in `bodies` or in their callees, if there is any.
std::optional<SynchronizingOp>
findSynchronizingOp(const Program &program,
                    ArrayRef<const ProgramSequence *> bodies);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_SYNCHRONIZINGOPS_H
