//===- Modules.cpp - Texts of modules, and passes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"

#include "Diagnostics.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"
#include "ipu-mlir/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <mutex>
#include <pybind11/stl.h>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::python;
namespace py = pybind11;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

std::unique_ptr<MLIRContext> python::createContext() {
  static const auto *registry = [] {
    auto *all = new DialectRegistry();
    tools::registerDialects(*all);
    ipu::registerAllPasses();
    return all;
  }();
  auto context = std::make_unique<MLIRContext>(
      *registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  return context;
}

void python::registerPasses() {
  static std::once_flag flag;
  std::call_once(flag, [] {
    mlir::registerAllPasses();
    ipu::registerAllPasses();
    ipu::registerAllPipelines();
  });
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string python::printType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

static std::string printAttribute(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << attribute;
  return text;
}

static std::string printModule(ModuleOp module, bool hasLocations) {
  OpPrintingFlags flags;
  flags.enableDebugInfo(hasLocations);
  // The caller has the values of resources.
  flags.elideLargeResourceString(0);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, flags);
  return text;
}

/// Gives `attr`, which `op` has, the value `array`.
static LogicalResult setResource(Operation *op, DenseResourceElementsAttr attr,
                                 const HostArray &array) {
  StringRef key = attr.getRawHandle().getKey();
  llvm::Expected<HostTensor> tensor =
      getTensor(key.str(), array, attr.getType().getElementType());
  if (!tensor)
    return op->emitOpError(llvm::toString(tensor.takeError()));
  if (tensor->type.getShape() != attr.getType().getShape())
    return op->emitOpError() << "expects resource '" << key << "' to have type "
                             << attr.getType() << " but got " << tensor->type;
  HostBytes bytes = std::move(tensor->data);
  ArrayRef<char> data(std::as_const(bytes).data(), bytes.size());
  attr.getRawHandle().getResource()->setBlob(AsmResourceBlob(
      data, getElementBytes(attr.getType().getElementType()),
      [bytes = std::move(bytes)](void *, size_t, size_t) mutable {
        bytes.reset();
      },
      /*dataIsMutable=*/false));
  return success();
}

static LogicalResult setResources(ModuleOp module, const ArrayMap &resources) {
  if (resources.empty())
    return success();
  WalkResult result = module.walk([&](Operation *op) {
    return op->getAttrDictionary().walk<WalkOrder::PreOrder>(
        [&](DenseResourceElementsAttr attr) {
          auto it = resources.find(attr.getRawHandle().getKey().str());
          if (it == resources.end() || attr.getRawHandle().getBlob())
            return WalkResult::advance();
          return failed(setResource(op, attr, it->second))
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        });
  });
  return failure(result.wasInterrupted());
}

OwningOpRef<ModuleOp> python::parseModule(const std::string &text,
                                          const std::string &fileName,
                                          const ArrayMap &resources,
                                          MLIRContext *context) {
  std::string source = fileName.empty() ? "<string>" : fileName;
  if (failed(tools::checkNesting(text,
                                 FileLineColLoc::get(context, source, 0, 0))))
    return nullptr;
  ParserConfig config(context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, config, source);
  if (!module || failed(setResources(*module, resources)) ||
      failed(tools::verifyModel(*module)))
    return nullptr;
  return module;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

namespace {
struct ValueInfo {
  std::string type;
  std::string role;
  std::string ofKind;
  int64_t ofIndex = 0;
  std::string ofVariable;
  std::map<std::string, std::string> attributes;
};

struct FunctionInfo {
  std::string name;
  bool isPrivate = false;
  std::vector<ValueInfo> arguments, results;
};
} // namespace

static ValueInfo describeValue(Type type, DictionaryAttr attributes) {
  ValueInfo info;
  info.type = printType(type);
  if (!attributes)
    return info;
  for (NamedAttribute attribute : attributes)
    info.attributes[attribute.getName().str()] =
        printAttribute(attribute.getValue());
  auto setOrigin = [&](StringRef name, const char *role) {
    auto value = attributes.getAs<pop::GraphValueAttr>(name);
    if (!value)
      return;
    info.role = role;
    info.ofKind = stringifyGraphValueKind(value.getKind()).str();
    info.ofIndex = value.getIndex();
    if (value.getVariable())
      info.ofVariable = value.getVariable().getValue().str();
  };
  setOrigin(pop::PopDialect::kForwardValueAttrName, "forward");
  setOrigin(pop::PopDialect::kGradientOfAttrName, "gradient");
  return info;
}

static std::vector<FunctionInfo> describeFunctions(ModuleOp module) {
  std::vector<FunctionInfo> infos;
  for (auto function : module.getOps<func::FuncOp>()) {
    FunctionInfo info;
    info.name = function.getSymName().str();
    info.isPrivate = function.isPrivate();
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
      info.arguments.push_back(
          describeValue(type, function.getArgAttrDict(number)));
    for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
      info.results.push_back(
          describeValue(type, function.getResultAttrDict(number)));
    infos.push_back(std::move(info));
  }
  return infos;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// The result of passes on a text.
struct Transformed {
  std::string text;
  std::vector<FunctionInfo> functions;
};
} // namespace

/// Adds passes to a pass manager. Reports failures through diagnostics.
using AddPasses = function_ref<LogicalResult(PassManager &manager)>;

/// Parses `text`, and runs the passes that `addPasses` adds.
static Transformed runOn(const std::string &text, const std::string &fileName,
                         const ArrayMap &resources, bool hasLocations,
                         AddPasses addPasses) {
  std::unique_ptr<MLIRContext> context = createContext();
  MessageCollector messages(context.get());
  LogicalResult result = failure();
  Transformed transformed;
  {
    py::gil_scoped_release release;
    OwningOpRef<ModuleOp> module =
        parseModule(text, fileName, resources, context.get());
    PassManager manager(context.get());
    result = success(module && succeeded(addPasses(manager)) &&
                     succeeded(pop::verifyPipelineContracts(
                         manager, UnknownLoc::get(context.get()))) &&
                     succeeded(manager.run(*module)));
    if (succeeded(result)) {
      transformed.text = printModule(*module, hasLocations);
      transformed.functions = describeFunctions(*module);
    }
  }
  if (failed(result))
    raiseError(ErrorKind::Compile, messages.take(), "a pass failed");
  return transformed;
}

static std::string runPasses(const std::string &text,
                             const std::string &pipeline,
                             const std::string &fileName, py::handle resources,
                             bool hasLocations) {
  return runOn(text, fileName, readArrays("resources", resources), hasLocations,
               [&](PassManager &manager) -> LogicalResult {
                 registerPasses();
                 if (pipeline.empty())
                   return success();
                 std::string message;
                 llvm::raw_string_ostream os(message);
                 if (succeeded(parsePassPipeline(pipeline, manager, os)))
                   return success();
                 return emitError(UnknownLoc::get(manager.getContext()))
                        << StringRef(message).rtrim();
               })
      .text;
}

/// Reads numbers of arguments or results, and names.
static SmallVector<std::string> readValues(const std::string &name,
                                           py::handle values) {
  SmallVector<std::string> texts;
  for (py::handle value : values)
    texts.push_back(PyUnicode_Check(value.ptr())
                        ? readText(name, value)
                        : "#" + std::to_string(readInteger(name, value, 0)));
  return texts;
}

static pop::Stitch readStitch(const std::string &text) {
  if (text == "add_fwd_outputs")
    return pop::Stitch::AddFwdOutputs;
  if (text == "safe_add_fwd_outputs")
    return pop::Stitch::SafeAddFwdOutputs;
  if (text == "recompute_minimal")
    return pop::Stitch::RecomputeMinimal;
  if (text == "recompute_all_non_inputs")
    return pop::Stitch::RecomputeAllNonInputs;
  throw py::value_error(
      "'stitch' expects add_fwd_outputs, safe_add_fwd_outputs, "
      "recompute_minimal or recompute_all_non_inputs but got '" +
      text + "'");
}

static py::tuple autodiff(const std::string &text, const std::string &function,
                          py::object provided, py::object required,
                          const std::string &stitch,
                          const std::string &unreachable,
                          const std::string &fileName, py::handle resources,
                          bool hasLocations) {
  pop::AutodiffPassOptions options;
  options.function = function;
  if (!provided.is_none())
    options.provided = readValues("provided", provided);
  if (!required.is_none())
    options.required = readValues("required", required);
  options.stitch = readStitch(stitch);
  if (unreachable != "error" && unreachable != "zero")
    throw py::value_error("'unreachable' expects error or zero but got '" +
                          unreachable + "'");
  options.unreachable =
      unreachable == "zero" ? pop::Unreachable::Zero : pop::Unreachable::Error;
  Transformed transformed =
      runOn(text, fileName, readArrays("resources", resources), hasLocations,
            [&](PassManager &manager) {
              manager.addPass(pop::createAutodiffPass(options));
              return success();
            });
  return py::make_tuple(transformed.text, transformed.functions);
}

static std::vector<FunctionInfo> readFunctions(const std::string &text) {
  return runOn(text, "", ArrayMap(), /*hasLocations=*/false,
               [](PassManager &) { return success(); })
      .functions;
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

void python::bindModules(py::module_ &module) {
  py::class_<ValueInfo>(module, "Value")
      .def_readonly("type", &ValueInfo::type)
      .def_readonly("role", &ValueInfo::role)
      .def_readonly("of_kind", &ValueInfo::ofKind)
      .def_readonly("of_index", &ValueInfo::ofIndex)
      .def_readonly("of_variable", &ValueInfo::ofVariable)
      .def_readonly("attributes", &ValueInfo::attributes);
  py::class_<FunctionInfo>(module, "Function")
      .def_readonly("name", &FunctionInfo::name)
      .def_readonly("is_private", &FunctionInfo::isPrivate)
      .def_readonly("arguments", &FunctionInfo::arguments)
      .def_readonly("results", &FunctionInfo::results);
  module.def("run_passes", runPasses, py::arg("text"), py::arg("pipeline"),
             py::kw_only(), py::arg("filename") = "",
             py::arg("resources") = py::dict(), py::arg("debug_info") = true);
  module.def("read_functions", readFunctions, py::arg("text"));
  module.def("autodiff", autodiff, py::arg("text"), py::arg("func"),
             py::kw_only(), py::arg("provided") = py::none(),
             py::arg("required") = py::none(),
             py::arg("stitch") = "safe_add_fwd_outputs",
             py::arg("unreachable") = "error", py::arg("filename") = "",
             py::arg("resources") = py::dict(), py::arg("debug_info") = true);
}
