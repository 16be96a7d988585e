//===- DefaultValue.cpp - Default values of streams -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/DefaultValue.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

LogicalResult mlir::ipu::verifyDefaultValue(Operation *stream,
                                            ElementsAttr value, Type type,
                                            bool isToDevice) {
  if (!value)
    return success();
  if (!isToDevice)
    return stream->emitOpError()
           << "expects `default_value` only on a stream to the device";
  if (value.getType() != type)
    return stream->emitOpError() << "expects `default_value` of type " << type
                                 << " but got " << value.getType();
  return success();
}
