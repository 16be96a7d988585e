//===- Import.cpp - Import of ONNX models ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Support/InputFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

namespace {
/// Imports the graph of a model as a function.
class ModelImporter {
public:
  ModelImporter(ImportState &state, KnownInitializers &known)
      : state(state), known(known), graph(state.model.graph()),
        fileLoc(getFileLoc(state.fileName, state.context)),
        builder(state.context) {}

  OwningOpRef<ModuleOp> run();

private:
  InFlightDiagnostic report(ImportOutcome outcome) {
    return state.report(outcome, fileLoc);
  }
  LogicalResult checkOpset();
  LogicalResult checkNames();
  Type getValueType(const proto::ValueInfoProto &info);
  FailureOr<int64_t> getDim(const proto::ValueInfoProto &info, int i);
  ElementsAttr getBoundValue(const proto::ValueInfoProto &info, Type type);
  void importInputs();
  void importInitializers();
  void checkOptions();
  LogicalResult checkOutput(const proto::ValueInfoProto &info, Value value);
  void importOutputs(GraphImporter &importer);
  void finishFunction();

  ImportState &state;
  KnownInitializers &known;
  const proto::GraphProto &graph;
  Location fileLoc;
  OpBuilder builder;
  func::FuncOp func;
  Scope scope;
  llvm::StringSet<> initializers;
  llvm::StringSet<> usedDims;
  llvm::StringSet<> boundInputs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult ModelImporter::checkOpset() {
  std::optional<int64_t> opset = getDefaultOpset(state.model.opset_import());
  // The format before version 3 has no opset imports, and only opset 1 existed.
  if (!opset && state.model.ir_version() < 3)
    opset = 1;
  bool hasDefaultNodes =
      llvm::any_of(graph.node(), [](const proto::NodeProto &node) {
        return isDefaultDomain(node.domain());
      });
  if (!opset && hasDefaultNodes)
    return report(ImportOutcome::Invalid)
           << "expects the ONNX model to import an opset of domain '' but got "
              "none";
  scope.opset = opset.value_or(kLastOpset);
  if (scope.opset < kFirstOpset || scope.opset > kLastOpset)
    return report(ImportOutcome::Unsupported)
           << "unsupported ONNX opset " << scope.opset << ": expects "
           << kFirstOpset << " to " << kLastOpset;
  if (graph.sparse_initializer_size() > 0)
    return report(ImportOutcome::Unsupported)
           << "unsupported sparse initializers";
  return success();
}

LogicalResult ModelImporter::checkNames() {
  auto checkDistinct = [&](const auto &list, StringRef what) -> LogicalResult {
    llvm::StringSet<> names;
    for (const auto &item : list) {
      if (item.name().empty())
        return report(ImportOutcome::Invalid)
               << "expects each graph " << what << " to have a name";
      if (!names.insert(item.name()).second)
        return report(ImportOutcome::Invalid)
               << "graph " << what << " '" << item.name()
               << "' is defined twice";
    }
    return success();
  };
  if (failed(checkDistinct(graph.input(), "input")) ||
      failed(checkDistinct(graph.output(), "output")) ||
      failed(checkDistinct(graph.initializer(), "initializer")))
    return failure();
  for (const proto::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  for (const proto::FunctionProto &function : state.model.functions()) {
    std::string key = getFunctionKey(function.domain(), function.name());
    if (!state.functions.try_emplace(key, &function).second)
      return report(ImportOutcome::Invalid)
             << "function '" << function.name() << "' of domain '"
             << function.domain() << "' is defined twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

FailureOr<int64_t> ModelImporter::getDim(const proto::ValueInfoProto &info,
                                         int i) {
  const auto &dim = info.type().tensor_type().shape().dim(i);
  if (dim.has_dim_value()) {
    if (dim.dim_value() >= 0)
      return dim.dim_value();
    return report(ImportOutcome::Invalid)
           << "expects dimension " << i << " of input '" << info.name()
           << "' not to be negative but got " << dim.dim_value();
  }
  StringRef name = dim.dim_param();
  if (auto it = state.options.dims.find(name.str());
      it != state.options.dims.end()) {
    usedDims.insert(name);
    if (it->second >= 0)
      return it->second;
    return report(ImportOutcome::Invalid)
           << "expects dimension '" << name << "' not to be negative but got "
           << it->second;
  }
  if (i == 0 && state.options.batch)
    return *state.options.batch;
  if (name.empty())
    return report(ImportOutcome::Invalid)
           << "expects dimension " << i << " of input '" << info.name()
           << "' to have a size or a name but got neither";
  return report(ImportOutcome::Invalid)
         << "input '" << info.name() << "' has dimension " << i
         << " of unknown size '" << name
         << "': give the dimension a size, as in --dim " << name << "=1";
}

Type ModelImporter::getValueType(const proto::ValueInfoProto &info) {
  auto unsupported = [&](const Twine &what) {
    report(ImportOutcome::Unsupported)
        << "input '" << info.name() << "' has unsupported type " << what;
    return Type();
  };
  if (!info.type().has_tensor_type()) {
    if (info.type().value_case() != proto::TypeProto::VALUE_NOT_SET)
      return unsupported("(not a tensor)");
    report(ImportOutcome::Invalid)
        << "input '" << info.name() << "' has no type";
    return {};
  }
  const auto &tensor = info.type().tensor_type();
  Type elementType = getElementType(tensor.elem_type(), state.context);
  if (!elementType)
    return unsupported(getElementTypeName(tensor.elem_type()));
  if (!tensor.has_shape()) {
    report(ImportOutcome::Invalid)
        << "input '" << info.name() << "' has no shape";
    return {};
  }
  SmallVector<int64_t> shape;
  for (int i = 0; i < tensor.shape().dim_size(); ++i) {
    FailureOr<int64_t> size = getDim(info, i);
    if (failed(size))
      return {};
    shape.push_back(*size);
  }
  if (pop::isPopShape(shape))
    return RankedTensorType::get(shape, elementType);
  report(ImportOutcome::Invalid)
      << "input '" << info.name() << "' has more than 2^56 elements";
  return {};
}

/// Returns the constant that the options define for an input, or null.
ElementsAttr ModelImporter::getBoundValue(const proto::ValueInfoProto &info,
                                          Type type) {
  auto it = state.options.constants.find(info.name());
  if (it == state.options.constants.end())
    return {};
  boundInputs.insert(info.name());
  if (it->second.getType() == type)
    return it->second;
  report(ImportOutcome::Invalid)
      << "input '" << info.name() << "' has type " << type
      << " but is given a value of type " << it->second.getType();
  return {};
}

void ModelImporter::importInputs() {
  Block &block = func.getBody().front();
  for (const proto::ValueInfoProto &info : graph.input()) {
    if (initializers.contains(info.name()))
      continue;
    Type type = getValueType(info);
    if (!type) {
      scope.failed.insert(info.name());
      continue;
    }
    Location loc = NameLoc::get(builder.getStringAttr(info.name()), fileLoc);
    if (ElementsAttr value = getBoundValue(info, type))
      scope.values[info.name()] =
          pop::ConstantOp::create(builder, loc, value.getType(), value);
    else
      scope.values[info.name()] = block.addArgument(type, loc);
  }
  checkOptions();
}

void ModelImporter::checkOptions() {
  for (const auto &[name, value] : state.options.constants)
    if (!boundInputs.contains(name))
      report(ImportOutcome::Invalid)
          << "the ONNX model has no input '" << name << "'";
  for (const auto &[name, size] : state.options.dims)
    if (!usedDims.contains(name))
      emitWarning(fileLoc) << "no input of the ONNX model has a dimension '"
                           << name << "'";
}

void ModelImporter::importInitializers() {
  for (const proto::TensorProto &tensor : graph.initializer()) {
    TensorError error;
    // The value is cached, because repeated imports should not read large
    // values again.
    ElementsAttr &value = known.values[tensor.name()];
    if (!value)
      value = getTensor(tensor, &state.files, state.context, /*dense=*/false,
                        error);
    Location loc = NameLoc::get(builder.getStringAttr(tensor.name()), fileLoc);
    if (!error.warning.empty())
      emitWarning(loc) << "ONNX initializer '" << tensor.name()
                       << "': " << error.warning;
    if (!value) {
      state.report(error.isUnsupported ? ImportOutcome::Unsupported
                                       : ImportOutcome::Invalid,
                   loc)
          << "ONNX initializer '" << tensor.name() << "': " << error.message;
      scope.failed.insert(tensor.name());
      continue;
    }
    if (state.parameters.isParameter(tensor.name(), value))
      scope.values[tensor.name()] =
          state.parameters.add(builder, loc, tensor.name(), value);
    else
      scope.values[tensor.name()] =
          pop::ConstantOp::create(builder, loc, value.getType(), value);
  }
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Checks that an output has the type that the model declares.
LogicalResult ModelImporter::checkOutput(const proto::ValueInfoProto &info,
                                         Value value) {
  if (info.type().value_case() == proto::TypeProto::VALUE_NOT_SET)
    return success();
  auto mismatch = [&](const Twine &declared) {
    return report(ImportOutcome::Invalid)
           << "output '" << info.name() << "' is declared with " << declared
           << " but has type " << value.getType();
  };
  if (!info.type().has_tensor_type())
    return mismatch("a type that is no tensor");
  const auto &tensor = info.type().tensor_type();
  if (tensor.elem_type() != proto::TensorProto::UNDEFINED &&
      getElementType(tensor.elem_type(), state.context) != getElement(value))
    return mismatch("element type " + getElementTypeName(tensor.elem_type()));
  if (!tensor.has_shape())
    return success();
  ArrayRef<int64_t> shape = getShape(value);
  if (tensor.shape().dim_size() != static_cast<int>(shape.size()))
    return mismatch("rank " + Twine(tensor.shape().dim_size()));
  for (auto [i, dim] : llvm::enumerate(tensor.shape().dim())) {
    int64_t declared = shape[i];
    if (dim.has_dim_value())
      declared = dim.dim_value();
    else if (auto it = state.options.dims.find(dim.dim_param());
             it != state.options.dims.end())
      declared = it->second;
    if (declared != shape[i])
      return mismatch("size " + Twine(declared) + " of dimension " + Twine(i));
  }
  return success();
}

void ModelImporter::importOutputs(GraphImporter &importer) {
  SmallVector<Value> results;
  for (const proto::ValueInfoProto &info : graph.output()) {
    auto it = scope.values.find(info.name());
    if (it != scope.values.end()) {
      if (succeeded(checkOutput(info, it->second)))
        results.push_back(it->second);
    } else {
      importer.reportUndefined(scope, fileLoc, "graph output", info.name());
    }
  }
  if (state.outcome != ImportOutcome::Success ||
      results.size() != static_cast<size_t>(graph.output_size()))
    return;
  state.parameters.writeNext(builder);
  func::ReturnOp::create(builder, fileLoc, results);
}

/// Sets the type of the function and the names of its arguments and results.
void ModelImporter::finishFunction() {
  Block &block = func.getBody().front();
  func.setType(builder.getFunctionType(
      block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
  llvm::StringSet<> names;
  for (const proto::ValueInfoProto &info : graph.input())
    if (!initializers.contains(info.name()))
      names.insert(info.name());
  for (const proto::ValueInfoProto &info : graph.output())
    names.insert(info.name());
  unsigned numArgs = 0;
  for (const proto::ValueInfoProto &info : graph.input())
    if (!initializers.contains(info.name()) &&
        !boundInputs.contains(info.name()))
      func.setArgAttr(numArgs++, pop::PopDialect::kNameAttrName,
                      builder.getStringAttr(info.name()));
  for (auto [i, info] : llvm::enumerate(graph.output()))
    func.setResultAttr(i, pop::PopDialect::kNameAttrName,
                       builder.getStringAttr(info.name()));
  state.parameters.finish(func, std::move(names));
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// Erases unused ops: constants that were folded into attributes, and nodes
/// without an effect on the outputs. This may change the seeds of the remaining
/// random ops, which is allowed.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op) || (isa<pop::NextSeedOp>(op) && op.use_empty()))
      op.erase();
}

OwningOpRef<ModuleOp> ModelImporter::run() {
  if (failed(checkOpset()) || failed(checkNames()))
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(fileLoc);
  builder.setInsertionPointToStart(module->getBody());
  func = func::FuncOp::create(builder, fileLoc, "main",
                              builder.getFunctionType({}, {}));
  Block &block = func.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&block);
  importInputs();
  importInitializers();
  GraphImporter importer(state, builder);
  if (failed(importer.importNodes(scope, graph.node())))
    return nullptr;
  importOutputs(importer);
  if (!block.mightHaveTerminator())
    return nullptr;
  eraseDead(block);
  finishFunction();
  if (succeeded(verify(*module)))
    return module;
  state.outcome = ImportOutcome::Invalid;
  return nullptr;
}

/// Imports a model. Repeats the import while an operator must know the value of
/// a parameter.
static OwningOpRef<ModuleOp> importModel(StringRef path, MLIRContext *context,
                                         const proto::ModelProto &model,
                                         const ImportOptions &options,
                                         ImportOutcome &outcome) {
  StringRef directory = llvm::sys::path::parent_path(path);
  KnownInitializers known;
  while (true) {
    size_t numConstants = known.constants.size();
    OwningOpRef<ModuleOp> module;
    std::vector<Diagnostic> diagnostics = holdDiagnostics(context, [&] {
      ImportState state{
          context,
          path.str(),
          {directory.empty() ? "." : directory.str(), options.externalFiles},
          model,
          options,
          Parameters(options.parameters, known)};
      module = ModelImporter(state, known).run();
      outcome = state.outcome;
    });
    if (known.constants.size() > numConstants)
      continue;
    emitDiagnostics(context, std::move(diagnostics));
    return module;
  }
}

FailureOr<OwningOpRef<ModuleOp>>
ipu::onnx::importONNXBuffer(llvm::MemoryBufferRef buffer, MLIRContext *context,
                            const ImportOptions &options,
                            ImportOutcome *outcome) {
  context->loadDialect<func::FuncDialect, pop::PopDialect>();
  ImportOutcome ignored;
  if (!outcome)
    outcome = &ignored;
  *outcome = ImportOutcome::Unreadable;
  StringRef path = buffer.getBufferIdentifier();
  try {
    proto::ModelProto model;
    if (failed(parseModel(buffer, context, model)))
      return failure();
    OwningOpRef<ModuleOp> module =
        importModel(path, context, model, options, *outcome);
    if (!module)
      return failure();
    return module;
  } catch (const std::exception &error) {
    return emitError(getFileLoc(path, context))
           << "cannot import the ONNX model: " << error.what();
  }
}

FailureOr<OwningOpRef<ModuleOp>>
ipu::onnx::importONNXFile(StringRef path, MLIRContext *context,
                          const ImportOptions &options,
                          ImportOutcome *outcome) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readInputFile(path);
  if (buffer)
    return importONNXBuffer(**buffer, context, options, outcome);
  if (outcome)
    *outcome = ImportOutcome::Unreadable;
  return emitError(getFileLoc(path, context))
         << "cannot read: " << llvm::toString(buffer.takeError());
}
