//===- DefaultValue.cpp - Default values of streams -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/DefaultValue.h"

#include "mlir/IR/BuiltinTypes.h"
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

LogicalResult mlir::ipu::verifySeedStream(Operation *stream, ElementsAttr value,
                                          Type type, bool isShared) {
  if (!isShared)
    return stream->emitOpError() << "expects `seed` only on a stream to the "
                                    "device that all replicas share";
  Type word = IntegerType::get(type.getContext(), 32, IntegerType::Unsigned);
  if (type != RankedTensorType::get({2}, word))
    return stream->emitOpError() << "expects a stream with `seed` to have type "
                                    "tensor<2xui32> but got "
                                 << type;
  if (value)
    return stream->emitOpError()
           << "expects `seed` or `default_value` but got both";
  return success();
}
