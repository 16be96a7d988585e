//===- FactorTable.h - Tables of shardings by factor ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//          | F0 i     | F1 j     | F2 k | replicated
// T0 %arg0 | "a"      | N        | "f"  |
// T1 %arg1 | N        | "c", "d" | "f"  |
// T2 %0    | "a"      |          | N    | "g"
//
// The table has a column for each factor and a row for each operand and result.
// `N` means that the tensor does not have the factor, and `closed` that no axis
// may be added. The format is based on Shardy's description of propagation.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_FACTORTABLE_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_FACTORTABLE_H

#include "PropagationObserver.h"

namespace mlir::ipu::sdy {

/// Returns the text of an axis: `"x"` or, for a sub-axis, `"x":(1)2`.
std::string toString(const sharding::AxisRef &axis, MeshAttr mesh);
/// Returns the texts of `axes`, separated by commas.
std::string toString(ArrayRef<sharding::AxisRef> axes, MeshAttr mesh);
/// Returns the name of a factor, for example `F0 i`.
std::string getFactorName(unsigned factor);
/// Returns the text of a rule, for example
/// `([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}`.
std::string toString(const sharding::Rule &rule, MLIRContext *context);

/// Returns the names of the tensors of a step: `T0 %arg0`, ...
SmallVector<std::string> getTensorNames(const PropagationStep &step,
                                        AsmState &names);

/// Prints the table of `projection`. Axes that are not in `before` are marked
/// by `+`.
void printFactorTable(raw_ostream &os,
                      const sharding::ShardingProjection &projection,
                      const sharding::ShardingProjection &before,
                      const sharding::Rule &rule, MeshAttr mesh,
                      ArrayRef<std::string> tensorNames);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_FACTORTABLE_H
