//===- DeviceEnums.cpp - Enumerations that dialects share -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/DeviceEnums.h"

#include "llvm/ADT/StringSwitch.h"

#include "ipu-mlir/Interfaces/DeviceEnums.cpp.inc"
