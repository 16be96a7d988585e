//===- StepIPUs.h - IPUs that take part in steps ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPIPUS_H
#define IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPIPUS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::ipu {

/// Finds the IPUs that have elements of the variables that a step uses. The
/// IPUs of each tile mapping are computed once.
class StepIPUs {
public:
  explicit StepIPUs(const TargetModel &target) : target(target) {}

  /// Returns the IPUs of a replica that take part in `step`, as bits.
  llvm::SmallBitVector getIPUs(Operation *step);

private:
  const llvm::SmallBitVector &getIPUs(TileMappingAttr mapping);

  const TargetModel &target;
  DenseMap<Attribute, llvm::SmallBitVector> ofMapping;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_STEPIPUS_H
