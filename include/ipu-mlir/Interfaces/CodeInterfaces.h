//===- CodeInterfaces.h - Interfaces of ops that move code ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of ops that load or copy the code of functions. A function can
// be called when its code is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_CODEINTERFACES_H
#define IPU_MLIR_INTERFACES_CODEINTERFACES_H

#include "ipu-mlir/Interfaces/DeviceEnums.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

#include "ipu-mlir/Interfaces/CodeInterfaces.h.inc"

#endif // IPU_MLIR_INTERFACES_CODEINTERFACES_H
