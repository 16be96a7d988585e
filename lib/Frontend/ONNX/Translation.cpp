//===- Translation.cpp - ipu-translate --import-onnx ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Frontend/ONNX/Import.h"

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Support/EscapeControls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::onnx;

/// Returns the category of the options below. Its name is before "General
/// options" in the alphabet, so that --help has them first.
static llvm::cl::OptionCategory &getCategory() {
  static llvm::cl::OptionCategory category("Conversion of ONNX models");
  return category;
}

/// Returns the option for the sizes of symbolic dimensions.
static llvm::cl::list<std::string> &getDimOption() {
  static llvm::cl::list<std::string> option(
      "onnx-dim", llvm::cl::value_desc("NAME=N"),
      llvm::cl::desc("Size of a symbolic dimension of an ONNX model, or of "
                     "dimension INDEX of an input in the form INPUT#INDEX=N"),
      llvm::cl::cat(getCategory()));
  return option;
}

/// Returns the option for numbers of iterations that are not known at import.
static llvm::cl::list<std::string> &getMaxTripsOption() {
  static llvm::cl::list<std::string> option(
      "onnx-max-trips", llvm::cl::value_desc("NAME=N"),
      llvm::cl::desc("Greatest number of iterations of a Loop of an ONNX model "
                     "whose number of iterations is not known at import"));
  return option;
}

/// Returns the option for sizes of results that are not known at import.
static llvm::cl::list<std::string> &getMaxSizeOption() {
  static llvm::cl::list<std::string> option(
      "onnx-max-size", llvm::cl::value_desc("NAME=N"),
      llvm::cl::desc("Size of the result of a node of an ONNX model, such as "
                     "NonZero, whose size is not known at import"));
  return option;
}

/// Returns the option for files that contain the values of inputs. These inputs
/// become constants.
static llvm::cl::list<std::string> &getConstantOption() {
  static llvm::cl::list<std::string> option(
      "onnx-constant", llvm::cl::value_desc("NAME=FILE.pb"),
      llvm::cl::desc("Value of an input of an ONNX model, as a constant"),
      llvm::cl::cat(getCategory()));
  return option;
}

/// Returns the option for the form of parameters in the program.
static llvm::cl::opt<std::string> &getParametersOption() {
  static llvm::cl::opt<std::string> option(
      "onnx-parameters", llvm::cl::value_desc("constants|arguments|variables"),
      llvm::cl::desc(
          "Form of an ONNX model's float initializers (default constants)"),
      llvm::cl::init("constants"), llvm::cl::cat(getCategory()));
  return option;
}

/// Returns the option for functions of f16 that compute in f16.
static llvm::cl::opt<bool> &getComputeOption() {
  static llvm::cl::opt<bool> option(
      "onnx-compute-f16",
      llvm::cl::desc("Compute softmax, gelu and normalizations of f16 in f16 "
                     "instead of f32"),
      llvm::cl::cat(getCategory()));
  return option;
}

/// Reads the numbers of `option` into `numbers`. They are at least `least`.
static LogicalResult readNumbers(Location loc,
                                 const llvm::cl::list<std::string> &option,
                                 int64_t least,
                                 std::map<std::string, int64_t> &numbers) {
  for (StringRef text : option) {
    auto [name, value] = text.rsplit('=');
    int64_t number;
    if (name.empty() || value.getAsInteger(10, number) || number < least)
      return emitError(loc)
             << "expects --" << option.ArgStr << "=NAME=N with N of at least "
             << least << " but got '" << text << "'";
    numbers[name.str()] = number;
  }
  return success();
}

static LogicalResult readOptions(Location loc, ImportOptions &options) {
  if (failed(readNumbers(loc, getDimOption(), 0, options.dims)) ||
      failed(readNumbers(loc, getMaxTripsOption(), 1, options.maxTrips)) ||
      failed(readNumbers(loc, getMaxSizeOption(), 0, options.maxSizes)))
    return failure();
  for (StringRef constant : getConstantOption()) {
    auto [name, path] = constant.split('=');
    FailureOr<NamedTensor> tensor = loadONNXTensor(path, loc.getContext());
    if (failed(tensor))
      return failure();
    options.constants[name.str()] = [value = tensor->value](Type) {
      return llvm::Expected<DenseElementsAttr>(value);
    };
  }
  std::optional<ParameterKind> parameters =
      symbolizeParameterKind(getParametersOption());
  if (!parameters)
    return emitError(loc) << "expects --onnx-parameters to be constants, "
                             "arguments or variables but got '"
                          << getParametersOption() << "'";
  options.parameters = *parameters;
  options.computesInF16 = getComputeOption();
  return success();
}

static OwningOpRef<Operation *> translate(llvm::SourceMgr &sourceMgr,
                                          MLIRContext *context) {
  escapeDiagnostics(context);
  ImportOptions options;
  llvm::MemoryBufferRef buffer =
      *sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  Location loc =
      FileLineColLoc::get(context, buffer.getBufferIdentifier(), 0, 0);
  if (failed(readOptions(loc, options)))
    return nullptr;
  FailureOr<OwningOpRef<ModuleOp>> module =
      importONNXBuffer(buffer, context, options);
  if (failed(module))
    return nullptr;
  return OwningOpRef<Operation *>(module->release());
}

static LogicalResult listOps(Operation *, llvm::raw_ostream &os) {
  for (const SupportedOp &op : getSupportedONNXOps()) {
    if (!op.domain.empty())
      os << op.domain << '.';
    os << op.name << '\t' << op.firstOpset << '\t';
    llvm::interleaveComma(op.versions, os);
    os << '\t' << op.notes << '\n';
  }
  return success();
}

void ipu::onnx::registerONNXTranslations() {
  getDimOption();
  getMaxTripsOption();
  getMaxSizeOption();
  getConstantOption();
  getParametersOption();
  getComputeOption();
  auto registerDialects = [](DialectRegistry &registry) {
    registry.insert<func::FuncDialect, pop::PopDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  };
  static TranslateToMLIRRegistration import(
      "import-onnx", "import an ONNX model (binary or text) as a pop program",
      translate, registerDialects);
  static TranslateFromMLIRRegistration list(
      "list-onnx-ops",
      "list the ONNX operators that are imported, each with its lowest opset, "
      "its versions and notes, separated by tabs; the input is ignored",
      listOps, registerDialects);
}
