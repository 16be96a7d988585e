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

/// Category of remarks about code.
constexpr StringLiteral kCodeRemarks = "pop-code";

/// Whether `op`, or an op in it, lets the tiles of a chip exchange data with
/// what is outside of it: hosts, remote memory, other replicas; or moves or
/// needs code, which calls do. True for what is not known.
bool exchanges(Operation *op, const ipu::GraphEffects &effects);

/// The name of `op` in quotes and, of a call, that of the callee.
std::string describeOp(Operation *op);

/// What is wrong with a load to `memory`.
std::string describeDeadLoad(const ipu::DeadCodeLoad &dead,
                             ipu::CodeLocation memory);

/// Whether `op` only moves data or code, itself or all at once in a region.
bool isTransfer(Operation *op);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CODELOADS_H
