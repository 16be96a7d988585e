//===- Export.h - ONNX models with other initializers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No function of this header throws an exception.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_FRONTEND_ONNX_EXPORT_H
#define IPU_MLIR_FRONTEND_ONNX_EXPORT_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ipu::onnx {

/// The bytes of the elements of tensors, by the names of the tensors.
using InitializerBytes = llvm::StringMap<ArrayRef<char>>;

/// Fails if the main graph of the model in the file `path` has no initializer
/// with one of the names.
llvm::Error checkONNXInitializers(StringRef path, ArrayRef<StringRef> names,
                                  MLIRContext *context);

/// Writes the model of the file `path` in binary form to `os`. Its initializers
/// that `values` names have these values; all else is the same. External data
/// are then in the written model.
llvm::Error writeONNXModel(StringRef path, const InitializerBytes &values,
                           MLIRContext *context, llvm::raw_ostream &os);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_FRONTEND_ONNX_EXPORT_H
