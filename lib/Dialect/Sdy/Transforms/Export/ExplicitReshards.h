//===- ExplicitReshards.h - Reshards where shardings disagree ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_EXPLICITRESHARDS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_EXPLICITRESHARDS_H

#include "ReshardValue.h"
#include "ipu-mlir/Sharding/Rule.h"

namespace mlir::ipu::sdy {

/// Reshards operands and results of an op with `rule` so that all its tensors
/// are sharded alike. With `reduces`, results are reduced over the axes of
/// reduction factors.
void insertReshards(Operation *op, const sharding::Rule &rule,
                    const ValueResharder &resharder, bool reduces);

/// Whether no tensor of the op has axes that another one lacks in the same
/// dimension.
bool areTensorsAlike(Operation *op, const ValueResharder &resharder);

/// Moves an op, of which a result is on one device, there: reshards operands to
/// the device and results back to all devices.
void insertSingleDeviceReshards(Operation *op, const ValueSharding &device,
                                const ValueResharder &resharder);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_EXPLICITRESHARDS_H
