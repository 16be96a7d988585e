//===- Proto.h - ONNX files and their tensors -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_PROTO_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_PROTO_H

#include "ipu-mlir/Frontend/ONNX/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "onnx/onnx_pb.h"

namespace mlir::ipu::onnx {

namespace proto = ::onnx;

/// The location of a whole file.
Location getFileLoc(StringRef path, MLIRContext *context);

/// Calls `fn` and returns what it reports.
std::vector<Diagnostic> holdDiagnostics(MLIRContext *context,
                                        function_ref<void()> fn);

/// Reports what was held back.
void emitDiagnostics(MLIRContext *context, std::vector<Diagnostic> diagnostics);

/// Parses a model in binary or text form. Reports errors with the line of the
/// text.
LogicalResult parseModel(llvm::MemoryBufferRef buffer, MLIRContext *context,
                         proto::ModelProto &model);

/// Whether `text` is a model in ONNX's text form, and not a binary one.
bool isTextForm(StringRef fileName, StringRef text);

/// What a file that is no tensor holds, in words: "a sequence". Empty if it is
/// nothing that ONNX knows. The bytes of a tensor may be those of another kind:
/// ask only if they could not be read as a tensor.
StringRef getOtherKind(llvm::MemoryBufferRef buffer);

/// Why a tensor cannot be read.
struct TensorError {
  std::string message;
  bool isUnsupported = false;
};

/// The name that ONNX has for an element type.
std::string getElementTypeName(int32_t elementType);

/// The pop element type of an ONNX one; null if there is none.
Type getElementType(int32_t elementType, MLIRContext *context);

/// The value of a tensor. External data are looked up below `directory`; large
/// ones become resources unless `dense`.
ElementsAttr getTensor(const proto::TensorProto &tensor, StringRef directory,
                       MLIRContext *context, bool dense, TensorError &error);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_PROTO_H
