//===- PythonSession.cpp - Sessions for Python ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PythonSession.h"

#include "Modules.h"
#include "ipu-mlir/Executor/Profile/ProfileReport.h"
#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Support/LocationName.h"
#include "ipu-mlir/Tools/Compile.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/ScopeExit.h"
#include <pybind11/stl.h>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::python;
namespace py = pybind11;
using tools::Status;

//===----------------------------------------------------------------------===//
// Lock
//===----------------------------------------------------------------------===//

/// Keeps other threads from a session. A thread that waits does not hold the
/// lock of the interpreter, which the thread that it waits for may need.
class PythonSession::Lock {
public:
  explicit Lock(PythonSession &session) : session(session) {
    if (session.user == std::this_thread::get_id())
      throw std::runtime_error("a callback of a run cannot use its session");
    if (!session.mutex.try_lock()) {
      py::gil_scoped_release release;
      session.mutex.lock();
    }
    session.user = std::this_thread::get_id();
  }
  ~Lock() {
    session.user = std::thread::id();
    session.mutex.unlock();
  }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  PythonSession &session;
};

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static void enableRemarks(MLIRContext &context, const std::string &regex) {
  if (regex.empty())
    return;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = regex;
  categories.analysis = categories.failed = regex;
  (void)remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

PythonSession::PythonSession(Options given)
    : options(std::move(given)),
      pool(std::make_unique<llvm::DefaultThreadPool>(
          llvm::hardware_concurrency(options.session.threads))),
      context(createContext()) {
  if (options.session.threads > 1)
    context->setThreadPool(*pool);
  enableRemarks(*context, options.remarks);
}

std::unique_ptr<PythonSession> PythonSession::create(Options options,
                                                     Reader read) {
  std::unique_ptr<PythonSession> result(new PythonSession(std::move(options)));
  result->compile(read);
  return result;
}

void PythonSession::compile(Reader read) {
  Interrupt interrupt;
  MessageCollector messages(getContext());
  LogicalResult result = failure();
  {
    py::gil_scoped_release release;
    OwningOpRef<ModuleOp> module;
    if (read(*this, module) == Status::Success)
      result = load(std::move(module), interrupt);
  }
  interrupt.rethrow();
  diagnostics = messages.take();
  if (failed(result))
    raiseError(ErrorKind::Compile, diagnostics,
               "the program cannot be compiled");
  describeTensors();
}

/// Emits an error and fails if the program is no function without arguments,
/// as a pipeline of passes may leave it.
static LogicalResult checkEntry(const CompiledProgram &program) {
  FailureOr<func::FuncOp> entry =
      lookupEntry(program.getModule(), program.getEntry());
  if (failed(entry))
    return failure();
  if (entry->getNumArguments() == 0 && entry->getNumResults() == 0)
    return success();
  return entry->emitError()
         << "expects a program that is lowered to ipu and has no arguments or "
            "results but got "
         << entry->getFunctionType();
}

LogicalResult PythonSession::load(OwningOpRef<ModuleOp> module,
                                  Interrupt &interrupt) {
  CompileOptions compilation = options.compilation;
  compilation.onStep = [&](StringRef) { return !interrupt.check(); };
  if (!compilation.pipeline.empty() || !compilation.graphPasses.empty())
    registerPasses();
  if (llvm::Error error = checkPipelines(compilation, getContext())) {
    tools::report(Status::BadUsage, std::move(error));
    return failure();
  }
  FailureOr<CompiledProgram> compiled =
      tools::compileModel(options.model, std::move(module), compilation);
  if (failed(compiled) || failed(checkEntry(*compiled)))
    return failure();
  program = std::move(*compiled);
  if (options.session.engine != EngineKind::None) {
    FailureOr<std::unique_ptr<Session>> loaded =
        Session::create(*program, options.session);
    if (failed(loaded))
      return failure();
    session = std::move(*loaded);
    return success();
  }
  ExecuteOptions execution;
  static_cast<LoadOptions &>(execution) = options.session;
  execution.entry = options.compilation.entry;
  FailureOr<ExecuteResult> ran = execute(program->getModule(), execution);
  if (failed(ran))
    return failure();
  estimate = std::make_shared<Profile>(std::move(ran->profile));
  return success();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static TensorInfo makeInfo(const std::string &name, RankedTensorType type,
                           bool hasDefault, bool isSeed) {
  Type element = type.getElementType();
  return {name,
          type,
          printType(type),
          printType(element),
          type.getShape().vec(),
          getDType(element),
          hasDefault,
          isSeed};
}

static std::vector<TensorInfo> makeInfos(ArrayRef<SessionTensor> tensors) {
  std::vector<TensorInfo> infos;
  for (const SessionTensor &tensor : tensors)
    infos.push_back(
        makeInfo(tensor.name, tensor.type, tensor.hasDefault, tensor.isSeed));
  return infos;
}

static std::vector<TensorInfo> makeInfos(ArrayRef<ProgramInput> tensors) {
  std::vector<TensorInfo> infos;
  for (const ProgramInput &tensor : tensors)
    infos.push_back(
        makeInfo(tensor.name, tensor.type, tensor.hasDefault, false));
  return infos;
}

void PythonSession::describeTensors() {
  if (!session) {
    ProgramSignature signature = getSignature(*program);
    inputs = makeInfos(signature.inputs);
    outputs = makeInfos(signature.outputs);
    return;
  }
  inputs = makeInfos(session->getInputs());
  outputs = makeInfos(session->getOutputs());
  variables = makeInfos(session->getVariables());
}

std::vector<std::string> PythonSession::getConstants() const {
  std::vector<std::string> names;
  for (const auto &[name, value] : program->getConstants())
    names.push_back(name);
  return names;
}

/// Raises ValueError, because `infos` has no tensor `name`.
[[noreturn]] static void raiseUnknown(const std::string &name,
                                      ArrayRef<TensorInfo> infos) {
  std::string message = "there is no '" + name + "'";
  llvm::raw_string_ostream os(message);
  if (!infos.empty())
    os << "; there are ";
  llvm::interleaveComma(infos, os, [&](const TensorInfo &info) {
    os << "'" << info.name << "'";
  });
  throw py::value_error(message);
}

TensorMap PythonSession::readTensors(py::handle values,
                                     ArrayRef<TensorInfo> infos) {
  TensorMap tensors;
  for (auto &entry : readArrays("values", values)) {
    const std::string &name = entry.first;
    const TensorInfo *info = llvm::find_if(
        infos, [&](const TensorInfo &info) { return info.name == name; });
    if (info == infos.end())
      raiseUnknown(name, infos);
    llvm::Expected<HostTensor> tensor =
        getTensor(name, std::move(entry.second), info->type.getElementType());
    if (!tensor)
      raiseValueError(tensor.takeError());
    tensors[name] = std::move(*tensor);
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Session &PythonSession::getSession() {
  if (!session)
    throw py::value_error("the engine 'none' computes no values");
  return *session;
}

void PythonSession::check(llvm::Error error, MessageCollector &messages) {
  if (!error)
    return;
  if (!messages.hasErrors())
    raiseValueError(std::move(error));
  raiseError(ErrorKind::Run, messages.take(), llvm::toString(std::move(error)));
}

void PythonSession::attach() {
  Lock lock(*this);
  Session &attached = getSession();
  MessageCollector messages(getContext());
  LogicalResult result = failure();
  {
    py::gil_scoped_release release;
    result = attached.attach();
  }
  if (failed(result))
    raiseError(ErrorKind::Compile, messages.take(),
               "the session could not be attached");
}

void PythonSession::detach(bool copiesWeights) {
  Lock lock(*this);
  Session &attached = getSession();
  MessageCollector messages(getContext());
  LogicalResult result = failure();
  {
    py::gil_scoped_release release;
    result = attached.detach(copiesWeights);
  }
  if (failed(result))
    raiseError(ErrorKind::Run, messages.take(), "variables could not be read");
}

/// Calls `function` without the lock of the interpreter.
static llvm::Error callReleased(function_ref<llvm::Error()> function) {
  py::gil_scoped_release release;
  return function();
}

void PythonSession::weightsToHost() {
  Lock lock(*this);
  Session &attached = getSession();
  MessageCollector messages(getContext());
  check(callReleased([&] { return attached.weightsToHost(); }), messages);
}

void PythonSession::weightsFromHost() {
  Lock lock(*this);
  Session &attached = getSession();
  MessageCollector messages(getContext());
  check(callReleased([&] { return attached.weightsFromHost(); }), messages);
}

static std::string getStepName(StepOpInterface step) {
  if (!step)
    return "";
  StringAttr name = getLocationName(step->getLoc());
  return name ? name.str() : step.getStepName();
}

py::dict PythonSession::run(py::handle inputs, py::handle givenCount,
                            py::handle progress) {
  Lock lock(*this);
  Session &running = getSession();
  int64_t count = readInteger("count", givenCount, 1);
  TensorMap given = readTensors(inputs, getInputs());
  if (!progress.is_none() && !PyCallable_Check(progress.ptr()))
    throw py::type_error("'progress' expects a function");

  Interrupt interrupt;
  MessageCollector messages(getContext());
  unsigned expectations = 0;
  isStopRequested = false;
  RunCallbacks callbacks;
  callbacks.expectationFailed = [&] { ++expectations; };
  callbacks.isStopped = [&] { return isStopRequested || interrupt.check(); };
  int64_t current = 0;
  if (!progress.is_none())
    callbacks.progress = [&](const RunProgress &done) {
      interrupt.call([&] {
        progress((current + done.fraction) / count, getStepName(done.step));
      });
    };
  running.setCallbacks(callbacks);
  llvm::scope_exit reset([&] { running.setCallbacks(RunCallbacks()); });

  bool attaches = !running.isAttached();
  LogicalResult attached = success();
  TensorMap values;
  llvm::Error error = llvm::Error::success();
  {
    py::gil_scoped_release release;
    if (attaches)
      attached = running.attach();
    if (succeeded(attached)) {
      llvm::Expected<TensorMap> ran =
          running.runRepeatedly(count, [&](int64_t number) {
            current = number;
            return running.getInputsOfRun(given, number);
          });
      if (ran)
        values = std::move(*ran);
      else
        error = ran.takeError();
      if (attaches && failed(running.detach(/*copiesWeights=*/!error)) &&
          !error)
        error = tools::makeError("variables could not be read");
    }
  }
  llvm::scope_exit consume([&] { llvm::consumeError(std::move(error)); });
  interrupt.rethrow();
  if (failed(attached))
    raiseError(ErrorKind::Compile, messages.take(),
               "the session could not be attached");
  if (error.isA<StoppedError>())
    raiseError(ErrorKind::Stopped, messages.take(), "the run was stopped");
  if (error && expectations > 0 && messages.countErrors() == expectations)
    raiseError(ErrorKind::Expectation, messages.take(), "");
  check(std::move(error), messages);
  hasRun = true;

  py::dict results;
  for (const TensorInfo &info : getOutputs())
    if (auto it = values.find(info.name); it != values.end())
      results[py::str(info.name)] = makeArray(std::move(it->second));
  return results;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

py::dict PythonSession::get(const std::vector<std::string> &names) {
  Lock lock(*this);
  Session &read = getSession();
  MessageCollector messages(getContext());
  SmallVector<StringRef> refs(names.begin(), names.end());
  TensorMap tensors;
  check(callReleased([&]() -> llvm::Error {
          llvm::Expected<TensorMap> values = read.getTensors(refs);
          if (!values)
            return values.takeError();
          tensors = std::move(*values);
          return llvm::Error::success();
        }),
        messages);
  py::dict results;
  for (const std::string &name : names)
    if (auto node = tensors.extract(name))
      results[py::str(name)] = makeArray(std::move(node.mapped()));
  return results;
}

void PythonSession::write(py::handle values, bool restores) {
  Lock lock(*this);
  Session &written = getSession();
  TensorMap tensors = readTensors(values, getVariables());
  MessageCollector messages(getContext());
  check(callReleased([&] {
          return restores ? written.restoreTensors(std::move(tensors))
                          : written.writeTensors(tensors);
        }),
        messages);
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

/// Returns what `write` writes, without the lock of the interpreter.
static std::string print(function_ref<void(llvm::raw_ostream &)> write) {
  py::gil_scoped_release release;
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os);
  return text;
}

std::string RunProfile::getJson() const {
  return print([&](llvm::raw_ostream &os) { writeProfile(*profile, os); });
}

std::string RunProfile::getTrace() const {
  return print([&](llvm::raw_ostream &os) { writeTrace(*profile, os); });
}

std::string RunProfile::getSummary() const {
  return print([&](llvm::raw_ostream &os) { printSummary(*profile, os); });
}

std::string
RunProfile::getReport(const std::string &title,
                      const std::vector<std::string> &arguments) const {
  return print([&](llvm::raw_ostream &os) {
    writeReport(title, *profile, getReportInfo(arguments), os);
  });
}

RunProfile PythonSession::getProfile() {
  Lock lock(*this);
  if (estimate)
    return RunProfile(estimate);
  if (!hasRun)
    throw py::value_error("there is no profile before the first run");
  return RunProfile(session->shareProfile());
}

std::string PythonSession::getText() {
  Lock lock(*this);
  return print([&](llvm::raw_ostream &os) { program->print(os); });
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

static void bindTensorInfo(py::module_ &module) {
  py::class_<TensorInfo>(module, "TensorInfo")
      .def_readonly("name", &TensorInfo::name)
      .def_property_readonly("shape",
                             [](const TensorInfo &info) {
                               return py::tuple(py::cast(info.shape));
                             })
      .def_readonly("dtype", &TensorInfo::dtype)
      .def_readonly("element_type", &TensorInfo::elementText)
      .def_readonly("has_default", &TensorInfo::hasDefault)
      .def_readonly("is_seed", &TensorInfo::isSeed)
      .def("__repr__", [](const TensorInfo &info) {
        return "<TensorInfo '" + info.name + "' : " + info.typeText + ">";
      });
}

static void bindProfile(py::module_ &module) {
  py::class_<RunProfile>(module, "Profile")
      .def("json", &RunProfile::getJson)
      .def("trace", &RunProfile::getTrace)
      .def("summary", &RunProfile::getSummary)
      .def("report", &RunProfile::getReport, py::arg("title") = "",
           py::arg("arguments") = std::vector<std::string>());
}

void python::bindSession(py::module_ &module) {
  bindTensorInfo(module);
  bindProfile(module);
  py::class_<PythonSession>(module, "Session")
      .def_property_readonly("inputs", &PythonSession::getInputs)
      .def_property_readonly("outputs", &PythonSession::getOutputs)
      .def_property_readonly("variables", &PythonSession::getVariables)
      .def_property_readonly("constants", &PythonSession::getConstants)
      .def_property_readonly("diagnostics", &PythonSession::getDiagnostics)
      .def_property_readonly("is_attached", &PythonSession::isAttached)
      .def_property_readonly("transfers_to_device",
                             [](const PythonSession &session) {
                               return session.getTransfers().toDevice;
                             })
      .def_property_readonly("transfers_to_host",
                             [](const PythonSession &session) {
                               return session.getTransfers().toHost;
                             })
      .def("attach", &PythonSession::attach)
      .def("detach", &PythonSession::detach, py::arg("weights_to_host") = true)
      .def("weights_to_host", &PythonSession::weightsToHost)
      .def("weights_from_host", &PythonSession::weightsFromHost)
      .def("run", &PythonSession::run, py::arg("inputs") = py::dict(),
           py::kw_only(), py::arg("count") = 1,
           py::arg("progress") = py::none())
      .def("stop", &PythonSession::stop)
      .def("get", &PythonSession::get, py::arg("names"))
      .def(
          "write",
          [](PythonSession &session, py::handle values) {
            session.write(values, /*restores=*/false);
          },
          py::arg("values"))
      .def(
          "restore",
          [](PythonSession &session, py::handle values) {
            session.write(values, /*restores=*/true);
          },
          py::arg("values"))
      .def("last_profile", &PythonSession::getProfile)
      .def(
          "profile",
          [](PythonSession &session) { return session.getProfile().getJson(); })
      .def("trace",
           [](PythonSession &session) {
             return session.getProfile().getTrace();
           })
      .def("summary",
           [](PythonSession &session) {
             return session.getProfile().getSummary();
           })
      .def(
          "report",
          [](PythonSession &session, const std::string &title,
             const std::vector<std::string> &arguments) {
            return session.getProfile().getReport(title, arguments);
          },
          py::arg("title") = "",
          py::arg("arguments") = std::vector<std::string>())
      .def("text", &PythonSession::getText);
}
