//===- CodeInterfaces.cpp - Interfaces of ops that move code ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/CodeInterfaces.h"

#include "ipu-mlir/Interfaces/CodeInterfaces.cpp.inc"
