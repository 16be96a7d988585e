//===- CodeletScalarOps.h - Scalar ops of codelets --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_CODELETSCALAROPS_H
#define IPU_MLIR_DIALECT_IPU_IR_CODELETSCALAROPS_H

#include "mlir/IR/Operation.h"
#include <cstdint>
#include <optional>

namespace mlir::ipu {

/// The rows of CodeletScalarOps.def: `arith::AddFOp` is AddF, and so on.
enum class ScalarOpcode : uint8_t {
#define IPU_SCALAR_OP(DIALECT, OP, NAME, JIT) OP,
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
};

/// Returns the opcode that engines execute for `op`, if it is a scalar op that
/// they support.
std::optional<ScalarOpcode> getScalarOpcode(Operation *op);

/// Returns whether `op` is one of the scalar ops on random numbers.
bool isRandomScalarOp(Operation *op);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_CODELETSCALAROPS_H
