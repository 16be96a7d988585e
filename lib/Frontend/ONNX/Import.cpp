//===- Import.cpp - Import of ONNX models ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "RandomWeights.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Support/InputFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

namespace {
/// Imports the graph of a model as a function.
class ModelImporter {
public:
  ModelImporter(ImportState &state, KnownConstants &known)
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
  DenseElementsAttr readValue(const proto::ValueInfoProto &info);
  void bindDims(const proto::ValueInfoProto &info, ArrayRef<int64_t> shape);
  void bindInputs();
  Type getValueType(const proto::ValueInfoProto &info);
  FailureOr<int64_t> getDim(const proto::ValueInfoProto &info, int i);
  void reportOpenDims();
  DenseElementsAttr getBoundValue(const std::string &name, Type type);
  bool hasHostValue(StringRef name) const;
  void importInputs();
  void importRandomInputs();
  void importInitializers(GraphImporter &importer,
                          const llvm::StringSet<> &values);
  void checkOptions();
  LogicalResult checkOutput(const proto::ValueInfoProto &info, Value value);
  void importOutputs(GraphImporter &importer);
  void finishFunction();

  ImportState &state;
  KnownConstants &known;
  const proto::GraphProto &graph;
  Location fileLoc;
  OpBuilder builder;
  func::FuncOp func;
  Scope scope;
  llvm::StringSet<> usedDims;
  /// The values of inputs that are constants.
  llvm::StringMap<DenseElementsAttr> boundInputs;
  /// The types of inputs that are weights with random values.
  llvm::MapVector<StringRef, RankedTensorType> randomInputs;
  /// The shapes of the values that the host gives inputs.
  llvm::StringMap<SmallVector<int64_t>> hostShapes;
  /// The sizes of symbolic dimensions that these shapes define, and the input
  /// that defines each of them.
  llvm::StringMap<std::pair<int64_t, StringRef>> hostDims;
  /// The dimensions of inputs without a size, as text.
  SmallVector<std::string> openDims;
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
  for (const proto::OperatorSetIdProto &import : state.model.opset_import())
    if (isDefaultDomain(import.domain()) && import.version() != opset)
      return report(ImportOutcome::Invalid)
             << "expects the ONNX model to import one opset of domain '' but "
                "got "
             << import.version() << " and " << *opset;
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
    scope.initializers.insert(tensor.name());
  for (const proto::FunctionProto &function : state.model.functions()) {
    if (!state.functions.try_emplace(getFunctionKey(function), &function)
             .second)
      return report(ImportOutcome::Invalid)
             << "function '" << function.name() << "' of domain '"
             << function.domain() << "' is defined twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Returns the value of an input that is a constant, or null if it is none or
/// cannot be read.
DenseElementsAttr ModelImporter::readValue(const proto::ValueInfoProto &info) {
  const InputValue *value = nullptr;
  auto constant = state.options.constants.find(info.name());
  auto input = state.options.inputs.find(info.name());
  if (constant != state.options.constants.end())
    value = &constant->second;
  else if (known.inputs.contains(info.name()))
    value = &input->second.value;
  Type elementType =
      getElementType(info.type().tensor_type().elem_type(), state.context);
  if (!value || !elementType)
    return {};
  llvm::Expected<DenseElementsAttr> read = (*value)(elementType);
  if (read)
    return *read;
  report(ImportOutcome::Invalid)
      << "input '" << info.name() << "': " << llvm::toString(read.takeError());
  scope.failed.insert(info.name());
  return {};
}

/// Returns whether a dimension has a size. Some exporters write a negative size
/// for a dimension whose size they do not know.
static bool hasSize(const proto::TensorShapeProto::Dimension &dim) {
  return dim.has_dim_value() && dim.dim_value() >= 0;
}

/// Records the sizes of symbolic dimensions of an input whose value has this
/// shape.
void ModelImporter::bindDims(const proto::ValueInfoProto &info,
                             ArrayRef<int64_t> shape) {
  const auto &tensor = info.type().tensor_type();
  // The host's tensor may have dimensions of its own in front.
  size_t rank = tensor.shape().dim_size();
  if (tensor.has_shape() && rank <= shape.size())
    shape = shape.take_back(rank);
  hostShapes[info.name()].assign(shape.begin(), shape.end());
  if (!tensor.has_shape() || rank > shape.size())
    return;
  for (auto [dim, size] : llvm::zip_equal(tensor.shape().dim(), shape)) {
    if (hasSize(dim) || dim.dim_param().empty() ||
        state.options.dims.count(dim.dim_param()))
      continue;
    auto [it, isNew] = hostDims.try_emplace(dim.dim_param(), size, info.name());
    auto [other, otherInput] = it->second;
    if (!isNew && other != size)
      report(ImportOutcome::Invalid)
          << "dimension '" << dim.dim_param() << "' is " << other
          << " in the value of input '" << otherInput << "' but " << size
          << " in the value of input '" << info.name() << "'";
  }
}

/// Reads the values of inputs that are constants, and the shapes of all values
/// that the host gives inputs.
void ModelImporter::bindInputs() {
  for (const proto::ValueInfoProto &info : graph.input()) {
    auto input = state.options.inputs.find(info.name());
    if (DenseElementsAttr value = readValue(info)) {
      boundInputs[info.name()] = value;
      bindDims(info, value.getType().getShape());
    } else if (input != state.options.inputs.end()) {
      bindDims(info, input->second.shape);
    }
  }
}

FailureOr<int64_t> ModelImporter::getDim(const proto::ValueInfoProto &info,
                                         int i) {
  const auto &dim = info.type().tensor_type().shape().dim(i);
  const std::string &name = dim.dim_param();
  std::string place = info.name() + "#" + std::to_string(i);
  if (hasSize(dim) ||
      (state.options.dims.count(name) && state.options.dims.count(place))) {
    if (state.options.dims.count(place) && usedDims.insert(place).second)
      emitWarning(fileLoc) << "dimension " << i << " of input '" << info.name()
                           << "' has another size already, so that '" << place
                           << "' has no effect";
    if (hasSize(dim))
      return dim.dim_value();
  }
  for (const std::string &key : {name, place}) {
    auto it = state.options.dims.find(key);
    if (key.empty() || it == state.options.dims.end())
      continue;
    usedDims.insert(key);
    if (it->second >= 0)
      return it->second;
    return report(ImportOutcome::Invalid)
           << "expects dimension '" << key << "' not to be negative but got "
           << it->second;
  }
  if (auto it = hostDims.find(name); it != hostDims.end())
    return it->second.first;
  if (auto it = hostShapes.find(info.name());
      it != hostShapes.end() && static_cast<size_t>(i) < it->second.size())
    return it->second[i];
  if (i == 0 && state.options.batch)
    return *state.options.batch;
  std::string text =
      "dimension " + std::to_string(i) + " of input '" + info.name() + "'";
  if (name.empty())
    openDims.push_back(text + " (--dim '" + place + "=N')");
  else if (usedDims.insert(name).second)
    openDims.push_back(text + ", '" + name + "' (--dim '" + name + "=N')");
  return failure();
}

void ModelImporter::reportOpenDims() {
  if (openDims.empty())
    return;
  report(ImportOutcome::Invalid)
      << "expects a size for each dimension of the inputs but got none for "
      << llvm::join(openDims, "; ");
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
  auto hostShape = hostShapes.find(info.name());
  if (!tensor.has_shape() && hostShape == hostShapes.end()) {
    report(ImportOutcome::Invalid)
        << "input '" << info.name()
        << "' has no shape in the model: a file that gives its value defines "
           "the shape";
    return {};
  }
  SmallVector<int64_t> shape;
  if (!tensor.has_shape())
    shape = hostShape->second;
  bool hasOpenDim = false;
  for (int i = 0; i < tensor.shape().dim_size(); ++i) {
    FailureOr<int64_t> size = getDim(info, i);
    hasOpenDim |= failed(size);
    shape.push_back(size.value_or(0));
  }
  if (hasOpenDim)
    return {};
  if (pop::isPopShape(shape))
    return RankedTensorType::get(shape, elementType);
  report(ImportOutcome::Invalid)
      << "input '" << info.name() << "' has more than 2^56 elements";
  return {};
}

/// Returns the value of an input that is a constant. If the value does not have
/// type `type`, reports an error and returns null.
DenseElementsAttr ModelImporter::getBoundValue(const std::string &name,
                                               Type type) {
  DenseElementsAttr value = boundInputs.lookup(name);
  if (value.getType() == type)
    return value;
  report(ImportOutcome::Invalid)
      << "input '" << name << "' has type " << type
      << " but is given a value of type " << value.getType();
  return {};
}

/// Returns whether the host knows the value of an input, and the value is small
/// enough to be folded. Shapes do not depend on larger ones.
static bool isKnownInput(const ImportOptions &options, StringRef name) {
  constexpr int64_t kMaxElements = 1024;
  auto it = options.inputs.find(name.str());
  return it != options.inputs.end() &&
         getProduct(it->second.shape) <= kMaxElements;
}

bool ModelImporter::hasHostValue(StringRef name) const {
  return boundInputs.contains(name) ||
         state.options.inputs.count(name.str()) > 0;
}

void ModelImporter::importInputs() {
  bindInputs();
  Block &block = func.getBody().front();
  for (const proto::ValueInfoProto &info : graph.input()) {
    if (scope.initializers.contains(info.name()) ||
        scope.failed.contains(info.name()))
      continue;
    Type type = getValueType(info);
    if (!type) {
      scope.failed.insert(info.name());
      continue;
    }
    Location loc = NameLoc::get(builder.getStringAttr(info.name()), fileLoc);
    Value &value = scope.values[info.name()];
    scope.setElementType(info.name(), info.type().tensor_type().elem_type());
    if (boundInputs.contains(info.name())) {
      ElementsAttr constant = getBoundValue(info.name(), type);
      if (constant)
        value = pop::ConstantOp::create(builder, loc, type, constant);
      else
        scope.failed.insert(info.name());
      if (auto it = known.inputs.find(info.name()); it != known.inputs.end())
        emitRemark(loc) << "input '" << info.name()
                        << "' is a constant of the program, because "
                        << it->second;
      continue;
    }
    if (state.randomWeights && state.randomWeights->isWeight(info.name()) &&
        !hasHostValue(info.name()) &&
        isa<FloatType>(getElementTypeOrSelf(type))) {
      randomInputs[info.name()] = cast<RankedTensorType>(type);
      continue;
    }
    value = block.addArgument(type, loc);
    state.parameters.addInput(value, info.name(),
                              isKnownInput(state.options, info.name()));
  }
  reportOpenDims();
  checkOptions();
}

/// Imports the inputs that are weights with random values as initializers.
void ModelImporter::importRandomInputs() {
  if (!randomInputs.empty())
    emitRemark(fileLoc) << randomInputs.size()
                        << " inputs without a value are weights, and have "
                           "random values";
  for (auto [name, type] : randomInputs) {
    Location loc = NameLoc::get(builder.getStringAttr(name), fileLoc);
    ElementsAttr &value = known.values[name];
    if (!value)
      value = state.randomWeights->make(name, type);
    scope.values[name] =
        state.parameters.isParameter(name, value)
            ? state.parameters.add(builder, loc, name, value)
            : Value(pop::ConstantOp::create(builder, loc, type, value));
  }
}

void ModelImporter::checkOptions() {
  for (const auto &[name, value] : state.options.constants)
    if (!boundInputs.contains(name) && !scope.failed.contains(name))
      report(ImportOutcome::Invalid)
          << "the ONNX model has no input '" << name << "'";
  for (const auto &[name, size] : state.options.dims)
    if (!usedDims.contains(name))
      emitWarning(fileLoc) << "no input of the ONNX model has a dimension '"
                           << name << "'";
}

/// Imports the initializers in `values`.
void ModelImporter::importInitializers(GraphImporter &importer,
                                       const llvm::StringSet<> &values) {
  for (const proto::TensorProto &tensor : graph.initializer()) {
    if (!values.contains(tensor.name()))
      continue;
    Location loc = NameLoc::get(builder.getStringAttr(tensor.name()), fileLoc);
    // The value is cached, because repeated imports should not read large
    // values again.
    ElementsAttr &initial = known.values[tensor.name()];
    if (!initial)
      initial = importer.readInitializer(tensor, loc);
    ElementsAttr value = initial;
    scope.setElementType(tensor.name(), tensor.data_type());
    // An initializer that is also an input is only the default value.
    bool isBound = value && boundInputs.contains(tensor.name());
    if (isBound)
      value = getBoundValue(tensor.name(), value.getType());
    if (!value)
      scope.failed.insert(tensor.name());
    else if (!isBound && state.parameters.isParameter(tensor.name(), value))
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

/// Checks that an output has the element type that the model declares. A shape
/// that differs from the declared one only causes a warning: it has no effect,
/// and many files declare wrong ones.
LogicalResult ModelImporter::checkOutput(const proto::ValueInfoProto &info,
                                         Value value) {
  if (info.type().value_case() == proto::TypeProto::VALUE_NOT_SET)
    return success();
  auto describe = [&](InFlightDiagnostic diag, const Twine &declared) {
    diag << "output '" << info.name() << "' is declared with " << declared
         << " but has type " << value.getType();
    return diag;
  };
  if (!info.type().has_tensor_type())
    return describe(report(ImportOutcome::Invalid), "a type that is no tensor");
  const auto &tensor = info.type().tensor_type();
  if (tensor.elem_type() != proto::TensorProto::UNDEFINED &&
      getElementType(tensor.elem_type(), state.context) != getElement(value))
    return describe(report(ImportOutcome::Invalid),
                    "element type " + getElementTypeName(tensor.elem_type()));
  if (!tensor.has_shape())
    return success();
  ArrayRef<int64_t> shape = getShape(value);
  if (tensor.shape().dim_size() != static_cast<int>(shape.size())) {
    describe(emitWarning(fileLoc), "rank " + Twine(tensor.shape().dim_size()));
    return success();
  }
  for (auto [i, dim] : llvm::enumerate(tensor.shape().dim())) {
    int64_t declared = shape[i];
    if (hasSize(dim))
      declared = dim.dim_value();
    else if (auto it = state.options.dims.find(dim.dim_param());
             it != state.options.dims.end())
      declared = it->second;
    if (declared == shape[i])
      continue;
    describe(emitWarning(fileLoc),
             "size " + Twine(declared) + " of dimension " + Twine(i));
    break;
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
  auto isArgument = [&](StringRef name) {
    return !scope.initializers.contains(name) && !randomInputs.contains(name);
  };
  for (const proto::ValueInfoProto &info : graph.input())
    if (isArgument(info.name()))
      names.insert(info.name());
  for (const proto::ValueInfoProto &info : graph.output())
    names.insert(info.name());
  unsigned numArgs = 0;
  for (const proto::ValueInfoProto &info : graph.input())
    if (isArgument(info.name()) && !boundInputs.contains(info.name()))
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
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op) ||
        (isa<pop::NextSeedOp>(op) && op.use_empty())) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDead(inner);
  }
}

OwningOpRef<ModuleOp> ModelImporter::run() {
  if (failed(checkOpset()) || failed(checkNames()))
    return nullptr;
  std::optional<RandomWeights> random;
  if (state.options.randomWeights)
    state.randomWeights = &random.emplace(*state.options.randomWeights, graph);
  OwningOpRef<ModuleOp> module = ModuleOp::create(fileLoc);
  builder.setInsertionPointToStart(module->getBody());
  func = func::FuncOp::create(builder, fileLoc, "main",
                              builder.getFunctionType({}, {}));
  Block &block = func.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&block);
  GraphImporter importer(state, builder);
  importInputs();
  FailureOr<SelectedNodes> selected =
      selectNodes(state, scope, graph.node(), getOutputNames(graph));
  if (failed(selected))
    return nullptr;
  importRandomInputs();
  importInitializers(importer, selected->values);
  importer.importNodes(scope, *selected);
  state.emitUnsupported();
  state.warnOfUnusedLimits();
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
/// a parameter or an input.
static OwningOpRef<ModuleOp> importModel(StringRef path, MLIRContext *context,
                                         const proto::ModelProto &model,
                                         const ImportOptions &options,
                                         ImportOutcome &outcome) {
  StringRef directory = llvm::sys::path::parent_path(path);
  KnownConstants known;
  while (true) {
    size_t numConstants = known.size();
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
    if (module && options.computesInF16)
      pop::setComputeF16(*module);
    if (known.size() > numConstants)
      continue;
    emitDiagnostics(context, std::move(diagnostics));
    if (options.constantInputs)
      for (const auto &[name, value] : options.inputs)
        if (known.inputs.contains(name))
          options.constantInputs->push_back(name);
    return module;
  }
}

FailureOr<OwningOpRef<ModuleOp>>
ipu::onnx::importONNXBuffer(llvm::MemoryBufferRef buffer, MLIRContext *context,
                            const ImportOptions &options,
                            ImportOutcome *outcome) {
  context->loadDialect<func::FuncDialect, pop::PopDialect, scf::SCFDialect,
                       tensor::TensorDialect>();
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
