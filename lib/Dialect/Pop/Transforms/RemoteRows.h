//===- RemoteRows.h - Rows of remote buffers as refs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_REMOTEROWS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_REMOTEROWS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::pop {

/// Replaces loads and stores of rows that hold variables by reads of refs of
/// these variables and copies to these refs, so that a transform treats
/// variables in streaming memory as it treats variables on the chip. The module
/// is then invalid until closeRemoteRows() is called. The buffer of each row
/// must only be accessed at constant rows, outside of `pop.remote_exchange`;
/// transfers of other buffers stay as they are.
void openRemoteRows(ModuleOp module);

/// Replaces reads of refs of variables in streaming memory by loads, and copies
/// to such refs by stores. Emits an error if another op uses such a ref.
LogicalResult closeRemoteRows(ModuleOp module);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_REMOTEROWS_H
