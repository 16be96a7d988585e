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

/// What becomes of the parameters of a model: of its initializers of floats,
/// but for those that an operator has to know when it is imported.
enum class ParameterKind {
  /// Constants of the program.
  Constants,
  /// Arguments after the inputs, with their values as defaults.
  Arguments,
  /// Variables, which start with these values.
  Variables,
};

/// `constants`, `arguments` or `variables`; none for any other text.
std::optional<ParameterKind> symbolizeParameterKind(StringRef text);

struct ImportOptions {
  /// Sizes of symbolic dimensions, by name.
  std::map<std::string, int64_t> dims;
  /// The size of the first dimension of each input whose name is not in `dims`.
  std::optional<int64_t> batch;
  /// Values of inputs, by name. Such inputs become constants of the program:
  /// shapes, axes and the like must be.
  std::map<std::string, DenseElementsAttr> constants;
  ParameterKind parameters = ParameterKind::Constants;
};

/// How an import ended, from best to worst.
enum class ImportOutcome {
  Success,
  /// The model is meaningful, but nothing here can express it. Every error then
  /// contains the word "unsupported".
  Unsupported,
  /// The model breaks a rule of ONNX, or a symbolic dimension has no size.
  Invalid,
  /// The file cannot be read, or is no ONNX model.
  Unreadable,
};

/// Reads a model, in binary or text form, and imports its graph as `@main`.
/// Errors are diagnostics at the file or at the ONNX node that they are about.
/// All unsupported nodes are reported, not only the first one.
FailureOr<OwningOpRef<ModuleOp>>
importONNXFile(StringRef path, MLIRContext *context,
               const ImportOptions &options = {},
               ImportOutcome *outcome = nullptr);

/// As above, for a model in memory. The identifier of `buffer` is its file
/// name: external data are looked up next to it.
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

/// An operator that the importer knows, in the domain of ONNX itself.
struct SupportedOp {
  StringRef name;
  /// The lowest opset in which it is imported; the highest is kLastOpset.
  int64_t firstOpset;
};

/// All operators that the importer knows, by name.
std::vector<SupportedOp> getSupportedONNXOps();

/// Registers `import-onnx`, with the options `onnx-dim`, `onnx-constant` and
/// `onnx-parameters`, and `list-onnx-ops`.
void registerONNXTranslations();

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_FRONTEND_ONNX_IMPORT_H
