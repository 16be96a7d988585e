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
#include <map>

namespace mlir::ipu::onnx {

namespace proto = ::onnx;

/// Returns the location of a whole file.
Location getFileLoc(StringRef path, MLIRContext *context);

/// Calls `fn` and returns its diagnostics, which are not emitted.
std::vector<Diagnostic> holdDiagnostics(MLIRContext *context,
                                        function_ref<void()> fn);

/// Emits the diagnostics that holdDiagnostics() returned.
void emitDiagnostics(MLIRContext *context, std::vector<Diagnostic> diagnostics);

/// Parses a model in binary or text form. An error in a text is located at its
/// line.
LogicalResult parseModel(llvm::MemoryBufferRef buffer, MLIRContext *context,
                         proto::ModelProto &model);

/// Returns whether `text` is a model in ONNX's text form instead of the binary
/// form.
bool isTextForm(StringRef fileName, StringRef text);

/// Describes the content of a file that is not a tensor, for example as "a
/// sequence". Returns an empty string if ONNX does not define such a content.
/// The bytes of a tensor may also be valid for another kind, so call this
/// function only if the file could not be read as a tensor.
StringRef getOtherKind(llvm::MemoryBufferRef buffer);

/// The reason why a tensor cannot be read.
struct TensorError {
  std::string message;
  bool isUnsupported = false;
  /// The text states a problem of a tensor that can be read all the same. It is
  /// empty if there is no problem.
  std::string warning = {};
};

/// Returns whether ONNX defines an element type with this number.
bool isElementType(int64_t number);

/// Returns ONNX's name of an element type.
std::string getElementTypeName(int32_t elementType);

/// Returns the number of the ONNX element type that a pop element type is.
int32_t getElementTypeNumber(Type type);

/// Returns ONNX's name of a pop element type.
std::string getElementTypeName(Type type);

/// Returns the pop element type that holds elements of an ONNX element type, or
/// null if there is none.
Type getElementType(int32_t elementType, MLIRContext *context);

/// Returns whether a wider type of pop holds elements of an ONNX element type:
/// integers of 2 and 4 bits are in 8 bits, float4e2m1 is in f8E4M3FN, and
/// float8e8m0, which has powers of two only, is in bf16.
bool isNarrow(int32_t elementType);

/// The least and the greatest number of a type.
struct IntegerRange {
  int64_t low, high;
};
/// Returns the range of an ONNX integer type of less than 64 bits, or
/// std::nullopt for other types.
std::optional<IntegerRange> getIntegerRange(int32_t elementType);

// Element types that newer versions of ONNX than the library define.
enum YoungerTypes : int32_t {
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
  kLastElementType = kInt2,
};

/// The files with external data of a model.
struct ExternalFiles {
  /// The folder of the model, which has the files.
  std::string directory;
  /// If not null, receives the paths of the files.
  std::vector<std::string> *paths = nullptr;
  /// The SHA-1 digests of files with a checksum, by path, as hexadecimal
  /// numbers. Many tensors may be in one file, which is hashed once.
  std::map<std::string, std::string> digests = {};
};

/// Returns the value of a tensor. Unless `files` is null, it may have external
/// data. Unless `dense` is set, a large value becomes a resource. If the tensor
/// cannot be read, returns null and sets `error`.
ElementsAttr getTensor(const proto::TensorProto &tensor, ExternalFiles *files,
                       MLIRContext *context, bool dense, TensorError &error);

/// Returns whether a tensor has no value: it has no elements in the model, or
/// the file with its external data does not exist.
bool isWithoutValue(const proto::TensorProto &tensor,
                    const ExternalFiles &files);

/// Returns a constant of type `type`, whose little-endian elements are `bytes`.
/// A large constant is a resource with the name `name`.
ElementsAttr getElements(RankedTensorType type, ArrayRef<char> bytes,
                         StringRef name);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_PROTO_H
