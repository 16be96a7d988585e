//===- DeviceEnums.h - Enumerations that dialects share ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_DEVICEENUMS_H
#define IPU_MLIR_INTERFACES_DEVICEENUMS_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/DenseMapInfo.h"
#include <optional>

#include "ipu-mlir/Interfaces/DeviceEnums.h.inc"

#endif // IPU_MLIR_INTERFACES_DEVICEENUMS_H
