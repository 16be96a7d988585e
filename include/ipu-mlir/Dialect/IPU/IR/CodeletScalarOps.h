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

/// The opcodes of the rows in CodeletScalarOps.def. For example, the opcode of
/// `arith::AddFOp` is AddF.
enum class ScalarOpcode : uint8_t {
#define IPU_SCALAR_OP(DIALECT, OP, NAME, JIT) OP,
#include "ipu-mlir/Dialect/IPU/IR/CodeletScalarOps.def"
};

/// Returns the opcode that engines execute for `op`, or std::nullopt if `op` is
/// not a scalar op that codelets may use.
std::optional<ScalarOpcode> getScalarOpcode(Operation *op);

/// Returns whether `op` is a scalar op that computes random numbers
/// (IPU_RANDOM_OP in CodeletScalarOps.def).
bool isRandomScalarOp(Operation *op);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_CODELETSCALAROPS_H
