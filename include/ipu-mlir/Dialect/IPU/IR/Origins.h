//===- Origins.h - Ops of the source of a step ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step, or an op in a step, may come from several ops of the source. It then
// has a list of `#ipu.origin`, the attribute `ipu.origins`. The cost of a step
// is divided among its origins (CostShareAttr), and the profile adds up the
// cost of each op of the source.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_ORIGINS_H
#define IPU_MLIR_DIALECT_IPU_IR_ORIGINS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

namespace mlir::ipu {

/// Returns the origins of something that comes from an op of the kind `op` at
/// `loc`. A fused location has an origin for each of its parts that has a name
/// or, if no part has a name, a position in a file. The metadata of a fused
/// location may be a DenseI64ArrayAttr with the share of each part; otherwise,
/// all shares are equal. There is always at least one origin.
SmallVector<OriginAttr> getOriginsOfLocation(StringRef op, Location loc);

/// Returns the origins of `op`, a step or an op in a step. Without the
/// attribute `ipu.origins`, an op in a step has the origins of the step, and a
/// step has those of the ops in it. If none of them has the attribute, the step
/// is a host copy, or comes from the op at its location.
SmallVector<OriginAttr> getOrigins(Operation *op);

/// Sets the attribute `ipu.origins` of `op`.
void setOrigins(Operation *op, ArrayRef<OriginAttr> origins);

/// Gives `to` the origins of `from`, if `from` or the ops in it have the
/// attribute.
void copyOrigins(StepOpInterface from, Operation *to);

/// Gives each op in `step` the attribute `ipu.origins` instead of `step`, so
/// that ops of other steps can become parts of `step`.
void moveOriginsInside(StepOpInterface step);

/// Returns `origins` with one element for each op of the source, which has the
/// sum of the shares of this op. The order is that of the first elements.
SmallVector<OriginAttr> addEqualOrigins(ArrayRef<OriginAttr> origins);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_ORIGINS_H
