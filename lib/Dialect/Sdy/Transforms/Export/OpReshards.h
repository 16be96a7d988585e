//===- OpReshards.h - Reshards around one op --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_OPRESHARDS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_OPRESHARDS_H

#include "ReshardValue.h"
#include "ipu-mlir/Sharding/Rule.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu::sdy {

/// Reshards operands and results of an op with `rule` so that all its tensors
/// are sharded equally. With `reduces`, results are reduced over the axes of
/// reduction factors; where they should be partial values that the op does not
/// make, whole results are split. Fails, with a diagnostic, if that cannot be.
LogicalResult insertReshards(Operation *op, const sharding::Rule &rule,
                             const ValueResharder &resharder, bool reduces);

/// Only the last of these: splits results that should be partial values along
/// axes along which the op, as its tensors are sharded, makes none.
LogicalResult introducePartialResults(Operation *op, const sharding::Rule &rule,
                                      const ValueResharder &resharder);

/// The axes along which the op, once resharded, makes parts of what it reduces.
sharding::AxisList getReductionAxes(Operation *op, const sharding::Rule &rule,
                                    const ValueResharder &resharder);

/// The same for an op that is computed the same on all devices.
LogicalResult introduceUnreduced(Operation *op,
                                 const ValueResharder &resharder);

/// Reshards the result of a product of two tensors that would have the axes
/// that are summed up along in place of those that an operand has there: it is
/// computed on as many devices as the operands are on, and moved when it is
/// small. Does nothing unless the operands agree, one dimension of the result
/// alone disagrees, and the result has no more elements than the operand.
void reshardProduct(Operation *op, const sharding::Rule &rule,
                    const ValueResharder &resharder);

/// The result of a call has the sharding that `callee` returns it with; where
/// it had another one, a reshard to that follows. With `onlyUnreduced`, that
/// holds where the unreduced axes are others.
LogicalResult insertCallResultReshards(OpResult result,
                                       FunctionOpInterface callee,
                                       const ValueResharder &resharder,
                                       bool onlyUnreduced);

/// Whether no tensor of the op has axes that another one lacks in the same
/// dimension.
bool haveEqualShardings(Operation *op, const ValueResharder &resharder);

/// Moves an op, of which a result is on one device, there: reshards operands to
/// the device and results back to all devices.
void insertSingleDeviceReshards(Operation *op, const ValueSharding &device,
                                const ValueResharder &resharder);

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Operands, then results, as in rules.
SmallVector<Value> getTensors(Operation *op);

/// The sharding whose mesh the op is computed on: that of most tensors that are
/// not whole. Null if there is none, or if meshes have different axes, of which
/// it warns.
const ValueSharding *getCommonMesh(Operation *op,
                                   ArrayRef<ValueSharding> shardings);

/// `result` with sharding `made`; users see `given`, as before.
LogicalResult reshardBack(OpResult result, const ValueSharding &made,
                          const ValueSharding &given,
                          const ValueResharder &resharder);

/// Sets the sharding of one result; others without any are whole.
void setResultSharding(OpResult result, const ValueSharding &sharding);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_OPRESHARDS_H
