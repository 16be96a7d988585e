//===- Module.cpp - The extension module of Python ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ipu_mlir/_native.pyi describes the module.
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "PythonSession.h"
#include "ipu-mlir/Tools/Progress.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::python;
namespace py = pybind11;
using tools::Status;

static std::unique_ptr<PythonSession> compileText(const std::string &text,
                                                  const std::string &fileName,
                                                  const py::kwargs &arguments) {
  Options options = readOptions(arguments);
  options.model.model = fileName.empty() ? "<string>" : fileName;
  return PythonSession::create(
      std::move(options),
      [&](PythonSession &session, OwningOpRef<ModuleOp> &module) {
        const Options &options = session.getOptions();
        module = parseModule(text, fileName, options.resources,
                             session.getContext());
        return module ? tools::prepareModel(options.model, *module)
                      : Status::BadModel;
      });
}

/// Returns a constant of the model with the value `array`.
static tools::ConstantSpec makeConstant(const std::string &name,
                                        const HostArray &array) {
  tools::ConstantSpec spec;
  spec.name = name;
  spec.value = [name,
                array](Type element) -> llvm::Expected<DenseElementsAttr> {
    llvm::Expected<HostTensor> tensor = getTensor(name, array, element);
    if (!tensor)
      return tensor.takeError();
    return getDenseElements(*tensor);
  };
  return spec;
}

static std::unique_ptr<PythonSession> loadFile(const std::string &path,
                                               const py::dict &dims,
                                               const py::dict &constants,
                                               const py::object &parameters,
                                               const py::kwargs &arguments) {
  Options options = readOptions(arguments);
  tools::ModelOptions &model = options.model;
  model.model = path;
  for (auto item : dims) {
    std::string name = readText("dims", item.first);
    model.dims.emplace_back(name, readInteger(name, item.second, 0));
  }
  for (const auto &[name, array] : readArrays("constants", constants))
    model.constants.push_back(makeConstant(name, array));
  if (!parameters.is_none()) {
    std::string kind = readText("parameters", parameters);
    model.parameters = onnx::symbolizeParameterKind(kind);
    if (!model.parameters)
      throw py::value_error(
          "'parameters' expects constants, arguments or variables but got '" +
          kind + "'");
  }
  // Only variables have rows in streaming memory.
  if (!model.parameters &&
      !options.compilation.memory.remoteVariables.empty() &&
      tools::isONNXFile(path))
    model.parameters = onnx::ParameterKind::Variables;
  return PythonSession::create(
      std::move(options),
      [](PythonSession &session, OwningOpRef<ModuleOp> &module) {
        return tools::loadModel(session.getOptions().model,
                                session.getContext(),
                                std::make_shared<llvm::SourceMgr>(), module);
      });
}

PYBIND11_MODULE(_native, module) {
  module.doc() = "Compiled programs, sessions and passes.";
  module.attr("__version__") = IPUMLIR_VERSION;
  // A terminal belongs to the user's program.
  tools::Progress::get().turnOff();
  bindDiagnostics(module);
  bindSession(module);
  bindModules(module);
  module.def("compile", compileText, py::arg("text"), py::kw_only(),
             py::arg("filename") = "");
  module.def("load", loadFile, py::arg("path"), py::kw_only(),
             py::arg("dims") = py::dict(), py::arg("constants") = py::dict(),
             py::arg("parameters") = py::none());
}
