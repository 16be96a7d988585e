//===- Import.h - Import of ONNX models -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The import of ONNX models; see docs/frontends/onnx.md. No function of this
// header throws an exception.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_FRONTEND_ONNX_IMPORT_H
#define IPU_MLIR_FRONTEND_ONNX_IMPORT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ipu::onnx {

/// The first and the last opset whose operators are imported.
constexpr int64_t kFirstOpset = 1;
constexpr int64_t kLastOpset = 25;

/// The form that the parameters of a model have in the program. Parameters are
/// the float initializers of the model, except initializers whose values are
/// needed during the import.
enum class ParameterKind {
  /// Constants of the program.
  Constants,
  /// Arguments after the inputs, with the values of the parameters as default
  /// values.
  Arguments,
  /// Variables with the values of the parameters as initial values.
  Variables,
};

/// Returns the kind with the name `text`, which is `constants`, `arguments` or
/// `variables`. Returns std::nullopt for other texts.
std::optional<ParameterKind> symbolizeParameterKind(StringRef text);

/// Returns the value of an input of the model, which has elements of type
/// `elementType`. The error of a value that cannot be read names its source.
using InputValue =
    std::function<llvm::Expected<DenseElementsAttr>(Type elementType)>;

/// The value that the host gives an input in each run.
struct HostInput {
  /// The shape of the host's tensor. It may have more dimensions than the
  /// input; its last dimensions are then those of the input.
  SmallVector<int64_t> shape;
  InputValue value;
};

struct ImportOptions {
  /// The sizes of dimensions that the model does not define. The key is the
  /// name of a symbolic dimension, or `INPUT#INDEX` for a dimension of one
  /// input. Names of symbolic dimensions take precedence.
  std::map<std::string, int64_t> dims;
  /// The size of the first dimension of each input, if the model gives this
  /// dimension no size and the name of the dimension is not in `dims`.
  std::optional<int64_t> batch;
  /// The values of inputs that become constants of the program, by name.
  /// Shapes, axes and similar inputs must be constants.
  std::map<std::string, InputValue> constants;
  /// The values that the host gives inputs, by name. Their shapes define the
  /// sizes of dimensions that `dims` does not define. If shapes depend on an
  /// input, the input becomes a constant with this value, and a remark says so.
  std::map<std::string, HostInput> inputs;
  /// The greatest number of iterations of each Loop whose number of iterations
  /// is not known at import, by the name of the node.
  std::map<std::string, int64_t> maxTrips;
  /// The size of each result whose size is not known at import, by the name of
  /// the node.
  std::map<std::string, int64_t> maxSizes;
  /// The seed of random weights, which weights without a value get.
  std::optional<uint64_t> randomWeights;
  ParameterKind parameters = ParameterKind::Constants;
  /// Softmax, gelu and normalizations of f16 compute in f16, with statistics in
  /// f32. Otherwise they compute in f32 and round their results.
  bool computesInF16 = false;
  /// Receives the paths of the files of external data, if not null.
  std::vector<std::string> *externalFiles = nullptr;
  /// Receives the names of the inputs in `inputs` that became constants, if not
  /// null.
  std::vector<std::string> *constantInputs = nullptr;
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

/// Reads a model, in binary or text form, and imports its graph as `@main`. If
/// the import fails, emits errors at the file or at the ONNX nodes. All
/// unsupported nodes are reported, also in subgraphs; nodes that are
/// unsupported for the same reason are reported once, with their number.
FailureOr<OwningOpRef<ModuleOp>>
importONNXFile(StringRef path, MLIRContext *context,
               const ImportOptions &options = {},
               ImportOutcome *outcome = nullptr);

/// Imports a model in memory. The identifier of `buffer` is the file name of
/// the model; external data are read from its folder.
FailureOr<OwningOpRef<ModuleOp>>
importONNXBuffer(llvm::MemoryBufferRef buffer, MLIRContext *context,
                 const ImportOptions &options = {},
                 ImportOutcome *outcome = nullptr);

/// A tensor that was read from a file.
struct NamedTensor {
  /// The name of the tensor, which may be empty.
  std::string name;
  DenseElementsAttr value;
};

/// Reads a file that holds one TensorProto (`.pb`).
FailureOr<NamedTensor> loadONNXTensor(StringRef path, MLIRContext *context);

/// An operator that the importer supports, in the ONNX domain.
struct SupportedOp {
  /// The domain, which is empty for operators of ONNX.
  StringRef domain;
  StringRef name;
  /// The first opset in which the operator is imported. The last one is
  /// kLastOpset.
  int64_t firstOpset;
  /// The opsets in which ONNX introduced or changed the operator.
  std::vector<int64_t> versions;
  /// Notes for users about the import, in Markdown.
  StringRef notes;
};

/// Returns all operators that the importer supports, in the order of their
/// domains and names.
std::vector<SupportedOp> getSupportedONNXOps();

/// Registers `import-onnx`, with its options, and `list-onnx-ops`.
void registerONNXTranslations();

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_FRONTEND_ONNX_IMPORT_H
