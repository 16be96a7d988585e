//===- Passes.h - Passes that execute programs ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PASSES_H
#define IPU_MLIR_EXECUTOR_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::ipu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Executor/Passes.h.inc"

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PASSES_H
