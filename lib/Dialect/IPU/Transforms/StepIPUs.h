//===- StepIPUs.h - IPUs that take part in steps ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPIPUS_H
#define IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPIPUS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::ipu {

/// Finds the IPUs that have elements of the variables that a step uses. The
/// IPUs of each tile mapping are computed once.
class StepIPUs {
public:
  explicit StepIPUs(const TargetModel &target) : target(target) {}

  /// Returns the IPUs of a replica that take part in `step`, as bits.
  llvm::SmallBitVector getIPUs(Operation *step);
  /// Returns the IPUs that execute `control`, a call, loop or branch: the IPUs
  /// of its operands and of all steps in its bodies and in the functions that
  /// it calls, directly or not. Reads these functions.
  llvm::SmallBitVector getControlIPUs(Operation *control);

private:
  /// The IPUs of the steps in an op, and the functions of the calls and code
  /// transfers in it.
  struct Contents {
    llvm::SmallBitVector ipus;
    llvm::SetVector<Operation *> functions;
  };

  const llvm::SmallBitVector &getIPUs(TileMappingAttr mapping);
  Contents readContents(Operation *op);

  const TargetModel &target;
  DenseMap<Attribute, llvm::SmallBitVector> ofMapping;
  DenseMap<Operation *, Contents> ofFunction;
  SymbolTableCollection symbols;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPIPUS_H
