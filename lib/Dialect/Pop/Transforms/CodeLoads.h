//===- CodeLoads.h - Steps between code loads -------------------*- C++ -*-===//
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

/// The category of remarks about code.
constexpr StringLiteral kCodeRemarks = "pop-code";

/// Returns whether `op`, or an op in it, exchanges data of the tiles of a chip
/// with hosts, remote memory or other replicas, or moves or needs code (as
/// calls do). True if the effects are not known.
bool exchanges(Operation *op, const ipu::GraphEffects &effects);

/// Returns the name of `op` in quotes and, for a call, the name of the callee.
std::string describeOp(Operation *op);

/// Describes the problem of a dead load to `memory`.
std::string describeDeadLoad(const ipu::DeadCodeLoad &dead,
                             ipu::CodeLocation memory);

/// Returns whether `op` only moves data or code, by itself or by the ops in its
/// region.
bool isTransfer(Operation *op);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CODELOADS_H
