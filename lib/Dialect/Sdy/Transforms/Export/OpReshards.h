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

/// Reshards operands and results of `op`, whose sharding rule is `rule`, such
/// that all tensors have the same axes for each factor. With `reduces`, results
/// are reduced over the axes of reduction factors. If results should be partial
/// values but the op does not compute partial values, splits the complete
/// results into partial values. Fails, with a diagnostic, if this is not
/// possible.
LogicalResult insertReshards(Operation *op, const sharding::Rule &rule,
                             const ValueResharder &resharder, bool reduces);

/// Only performs the last step of insertReshards: splits results into partial
/// values along the axes along which they should be partial values but the op,
/// with its present shardings, does not compute partial values.
LogicalResult introducePartialResults(Operation *op, const sharding::Rule &rule,
                                      const ValueResharder &resharder);

/// Returns the axes along which `op` computes partial values of reductions
/// after insertReshards.
sharding::AxisList getReductionAxes(Operation *op, const sharding::Rule &rule,
                                    const ValueResharder &resharder);

/// Returns the axes of the dimensions that `op` sums up along, in `operands`,
/// the shardings of the operands. Without reshards of the operands, `op`
/// computes partial values along any of these axes.
sharding::AxisList getSummedAxes(Operation *op,
                                 ArrayRef<ValueSharding> operands);

/// Returns the axes along which `op`, a collective, reduces partial values of
/// `kind`. Returns no axes for all other ops.
sharding::AxisList getReducedAxes(Operation *op, ReductionKind kind,
                                  MeshAttr mesh);

/// Splits the results of `op` that should be partial values. All devices
/// compute `op` completely.
LogicalResult introduceUnreduced(Operation *op,
                                 const ValueResharder &resharder);

/// Inserts a reshard of the result of `op`, a product of two tensors, if one
/// dimension d of the result has the axes of the summed dimension, but d has
/// other axes in an operand. With the reshard, the product is computed with the
/// axes of the operands, and the result is moved instead of the operands. Does
/// nothing if the operands differ in the axes of a common factor, if another
/// dimension of the result differs from the operands, or if the result has more
/// elements than the larger operand that has d.
void reshardProduct(Operation *op, const sharding::Rule &rule,
                    const ValueResharder &resharder);

/// Gives `result`, a result of a call, the sharding with which `callee` returns
/// it. If `result` had another sharding, inserts a reshard to that sharding
/// after the call. With `onlyUnreduced`, does this only if the unreduced axes
/// differ.
LogicalResult insertCallResultReshards(OpResult result,
                                       FunctionOpInterface callee,
                                       const ValueResharder &resharder,
                                       bool onlyUnreduced);

/// Returns whether the lists of axes of all tensors of `op`, dimension by
/// dimension, are equal.
bool haveEqualShardings(Operation *op, const ValueResharder &resharder);

/// Moves `op`, one of whose results is on a single device, to this device:
/// reshards the operands to the device, and the results from the device to
/// their shardings.
void insertSingleDeviceReshards(Operation *op, const ValueSharding &device,
                                const ValueResharder &resharder);

//
//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Returns the operands and then the results of `op`, in the order of the
/// tensors of a rule.
SmallVector<Value> getTensors(Operation *op);

/// Returns a sharding whose mesh is used to compute `op`. Tensors that are not
/// fully replicated are counted for each mesh, and the mesh with the highest
/// count is used. Returns null if no tensor has a mesh. Emits a warning and
/// returns null if the meshes have different axes.
const ValueSharding *getCommonMesh(Operation *op,
                                   ArrayRef<ValueSharding> shardings);

/// Gives `result` the sharding `made`, and inserts a reshard to `given` for the
/// users of `result`.
LogicalResult reshardBack(OpResult result, const ValueSharding &made,
                          const ValueSharding &given,
                          const ValueResharder &resharder);

/// Sets the sharding of `result`. Other results of its op that have no sharding
/// become fully replicated.
void setResultSharding(OpResult result, const ValueSharding &sharding);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_OPRESHARDS_H
