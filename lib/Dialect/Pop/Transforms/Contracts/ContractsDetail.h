//===- ContractsDetail.h - Utilities of contract checks ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CONTRACTS_CONTRACTSDETAIL_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CONTRACTS_CONTRACTSDETAIL_H

#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"

namespace mlir::pop::detail {

/// Returns `pass` or, if it runs nested passes, the nested passes.
SmallVector<PassUse> getPassUses(Pass &pass);

/// Returns the names of `passes`, separated by commas, for diagnostics.
std::string joinNames(ArrayRef<PassUse> passes);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CONTRACTS_CONTRACTSDETAIL_H
