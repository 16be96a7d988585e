//===- Import.h - Import of ONNX models -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See docs/frontends/onnx.md. No function here throws.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_FRONTEND_ONNX_IMPORT_H
#define IPU_MLIR_FRONTEND_ONNX_IMPORT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ipu::onnx {

/// The first and the last opset whose operators are imported.
constexpr int64_t kFirstOpset = 1;
constexpr int64_t kLastOpset = 21;

/// The form of the parameters of a model in the program. Parameters are float
/// initializers, except those that an operator must know during the import.
enum class ParameterKind {
  /// Constants of the program.
  Constants,
  /// Arguments after the inputs, with the values of the parameters as default
  /// values.
  Arguments,
  /// Variables with the values of the parameters as initial values.
  Variables,
};

/// `constants`, `arguments` or `variables`; none for any other text.
std::optional<ParameterKind> symbolizeParameterKind(StringRef text);

struct ImportOptions {
  /// Sizes of symbolic dimensions, by name.
  std::map<std::string, int64_t> dims;
  /// The size of the first dimension of each input whose name is not in `dims`.
  std::optional<int64_t> batch;
  /// Values of inputs, by name. These inputs become constants of the program,
  /// which is necessary for shapes, axes and similar inputs.
  std::map<std::string, DenseElementsAttr> constants;
  ParameterKind parameters = ParameterKind::Constants;
};

/// The outcome of an import, from best to worst.
enum class ImportOutcome {
  Success,
  /// The model is valid, but the importer does not support it. Every error then
  /// contains the word "unsupported".
  Unsupported,
  /// The model breaks a rule of ONNX, or a symbolic dimension has no size.
  Invalid,
  /// The file cannot be read, or is not an ONNX model.
  Unreadable,
};

/// Reads a model, in binary or text form, and imports its graph as `@main`.
/// Errors are diagnostics at the file or at the ONNX node. All unsupported
/// nodes are reported, not only the first one.
FailureOr<OwningOpRef<ModuleOp>>
importONNXFile(StringRef path, MLIRContext *context,
               const ImportOptions &options = {},
               ImportOutcome *outcome = nullptr);

/// The same for a model in memory. The identifier of `buffer` is its file name;
/// external data are searched in its folder.
FailureOr<OwningOpRef<ModuleOp>>
importONNXBuffer(llvm::MemoryBufferRef buffer, MLIRContext *context,
                 const ImportOptions &options = {},
                 ImportOutcome *outcome = nullptr);

/// A tensor read from a file.
struct NamedTensor {
  /// May be empty.
  std::string name;
  DenseElementsAttr value;
};

/// Reads a file that holds one TensorProto (`.pb`).
FailureOr<NamedTensor> loadONNXTensor(StringRef path, MLIRContext *context);

/// An operator that the importer supports, in the ONNX domain.
struct SupportedOp {
  StringRef name;
  /// The lowest opset in which the operator is imported. The highest is
  /// kLastOpset.
  int64_t firstOpset;
};

/// All operators that the importer supports, by name.
std::vector<SupportedOp> getSupportedONNXOps();

/// Registers `import-onnx`, with the options `onnx-dim`, `onnx-constant` and
/// `onnx-parameters`, and `list-onnx-ops`.
void registerONNXTranslations();

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_FRONTEND_ONNX_IMPORT_H
