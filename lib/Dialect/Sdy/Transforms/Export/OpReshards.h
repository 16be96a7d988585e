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
/// reduction factors. If results should be partial values that the op does not
/// compute, whole results are split. Fails, with a diagnostic, if this is not
/// possible.
LogicalResult insertReshards(Operation *op, const sharding::Rule &rule,
                             const ValueResharder &resharder, bool reduces);

/// Only the last of these steps: splits results that should be partial values
/// along axes along which the op, with the shardings of its tensors, does not
/// compute partial values.
LogicalResult introducePartialResults(Operation *op, const sharding::Rule &rule,
                                      const ValueResharder &resharder);

/// Returns the axes along which the op computes partial values of reductions
/// after it is resharded.
sharding::AxisList getReductionAxes(Operation *op, const sharding::Rule &rule,
                                    const ValueResharder &resharder);

/// The same for an op that all devices compute completely.
LogicalResult introduceUnreduced(Operation *op,
                                 const ValueResharder &resharder);

/// Reshards the result of a product of two tensors, if axes of a summed
/// dimension would replace axes of an operand in the result. The product is
/// then computed on as many devices as the operands, and its result is moved
/// when it is small. Only applies if the operands agree, exactly one dimension
/// of the result disagrees, and the result has no more elements than the
/// operand.
void reshardProduct(Operation *op, const sharding::Rule &rule,
                    const ValueResharder &resharder);

/// Gives the result of a call the sharding with which `callee` returns it. If
/// it had another sharding, a reshard to that sharding follows. With
/// `onlyUnreduced`, only if the unreduced axes differ.
LogicalResult insertCallResultReshards(OpResult result,
                                       FunctionOpInterface callee,
                                       const ValueResharder &resharder,
                                       bool onlyUnreduced);

/// Returns whether all tensors of the op have the same axes in the same
/// dimensions.
bool haveEqualShardings(Operation *op, const ValueResharder &resharder);

/// Moves an op with a result on one device to this device: reshards operands to
/// the device, and results back to all devices.
void insertSingleDeviceReshards(Operation *op, const ValueSharding &device,
                                const ValueResharder &resharder);

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Operands, then results, as in rules.
SmallVector<Value> getTensors(Operation *op);

/// Returns the sharding whose mesh is used to compute the op: the mesh of most
/// tensors that are not fully replicated. Returns null if there is none, or if
/// meshes have different axes, about which the function warns.
const ValueSharding *getCommonMesh(Operation *op,
                                   ArrayRef<ValueSharding> shardings);

/// Gives `result` the sharding `made`. Users still see `given`.
LogicalResult reshardBack(OpResult result, const ValueSharding &made,
                          const ValueSharding &given,
                          const ValueResharder &resharder);

/// Sets the sharding of one result. Other results without a sharding become
/// fully replicated.
void setResultSharding(OpResult result, const ValueSharding &sharding);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_OPRESHARDS_H
