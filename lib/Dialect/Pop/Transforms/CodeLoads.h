//===- CodeLoads.h - Helpers of passes on code loads ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CODELOADS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CODELOADS_H

#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"
#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// The category of remarks about code loading.
constexpr StringLiteral kCodeRemarks = "pop-code";

/// Returns whether `op`, or an op in its regions, exchanges data between tiles
/// and the host, streaming memory or other replicas, moves code, or needs code
/// (as calls do). Returns true if the effects of the op are not known.
bool exchanges(Operation *op, const ipu::GraphEffects &effects);

/// Returns the name of `op` in quotes and, for a call, the name of the callee.
std::string describeOp(Operation *op);

/// Returns a text which states that the code that `dead` loads to `memory` is
/// not used before it is loaded again.
std::string describeDeadLoad(const ipu::DeadCodeLoad &dead,
                             ipu::CodeLocation memory);

/// Returns whether `op` is a transfer of data or code, or a
/// `pop.remote_exchange` of such transfers.
bool isTransfer(Operation *op);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CODELOADS_H
